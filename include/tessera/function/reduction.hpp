// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions by monoids of the user's.

#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/monoid.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera {

namespace op {

/// The tag of a reduction by the monoid `M`.
template <class M>
struct monoid : detail::name_of_monoid<M> {
  using monoid_type = M;
  static constexpr fold_rule rule = fold_rule::any;
  template <class... Ts>
  using result = decltype(detail::finished<M>(std::declval<typename M::state>()));

  template <class... Ts>
  static const fold_kernel& kernel() {
    return monoid_fold<M, Ts...>();
  }
  template <class T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    return detail::counted_monoid_fold<M, How, T>();
  }
};

}  // namespace op

namespace detail {

/// The number of arrays at the begin of `Args`.
template <class... Args>
consteval std::size_t num_arrays() {
  std::size_t count = 0;
  static_cast<void>(((array_expression<Args> ? (++count, true) : false) && ...));
  return count;
}

/// The operands and options of a reduction by `M` of `Args`, and their rules.
template <class M, class Arrays, class Options, class... Args>
struct reduction_types;
template <class M, std::size_t... I, std::size_t... J, class... Args>
struct reduction_types<M, std::index_sequence<I...>, std::index_sequence<J...>, Args...> {
  using args = std::tuple<Args...>;
  template <std::size_t K>
  using array = std::tuple_element_t<K, args>;
  template <std::size_t K>
  using option = std::tuple_element_t<sizeof...(I) + K, args>;

  static constexpr std::size_t rank = std::max({std::size_t{0}, array<I>::rank...});
  using axes = axes_rule<rank, axes_of<option<J>...>>;
  static constexpr bool are_options =
      are_reduction_options<option<J>...> && axes::in_range && axes::distinct;
  static constexpr bool takes_elements = monoid_takes<M, typename array<I>::value_type...>;
  static constexpr bool holds =
      sizeof...(I) > 0 &&
      monoid_is_empty<M>&& monoid_has_state<M>&& monoid_has_identity<M>&& takes_elements&&
              monoid_merges<M>&& monoid_finishes<M>&& are_options&& axes::count > 0;
  static constexpr bool is_masked = (is_mask<option<J>> || ...);
  static constexpr bool keeps_axes = (std::same_as<option<J>, keepdims_t> || ...);

  /// Returns the node of `Fold`, which gives one result.
  template <class Fold>
  static auto node(const Fold& fold, const args& arguments) {
    const axis_mask reduced =
        reduced_axes<rank>(Fold::name, std::get<sizeof...(I) + J>(arguments)...);
    const auto folded = [&] {
      if constexpr (is_masked) {
        return make_reduction<axes::count>(
            op::monoid<masked_monoid<typename Fold::monoid_type>>{}, reduced,
            mask_of(std::get<sizeof...(I) + J>(arguments)...), std::get<I>(arguments)...);
      } else {
        return make_reduction<axes::count>(fold, reduced, std::get<I>(arguments)...);
      }
    }();
    if constexpr (keeps_axes) {
      return add_axes<rank>(Fold::name, folded, reduced);
    } else {
      return folded;
    }
  }

  template <class Result>
  static auto nodes(const args& arguments) {
    if constexpr (element<Result>) {
      return node(op::monoid<M>{}, arguments);
    } else {
      return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return std::tuple(node(op::monoid<result_of_monoid<M, K>>{}, arguments)...);
      }
      (std::make_index_sequence<std::tuple_size_v<Result>>{});
    }
  }
};

}  // namespace detail

/// Returns the reduction by the monoid `m` of the elements of `xs` along some axes: one array, or a
/// tuple of arrays if `m` gives several results.
///
/// ```cpp
/// const auto [low, high] = reduction(extremes_of{}, x, axis<0>);
/// ```
/// Arrays come first, broadcast, then options as of `sum`. For the members of `m` see
/// `kernel/monoid.hpp`. Along several axes, states are merged in any order.
template <class M, class... Args>
requires has_unnamed_array<Args...>
[[nodiscard]] auto reduction(const M& /*m*/, const Args&... args) {
  constexpr std::size_t count = detail::num_arrays<Args...>();
  using types = detail::reduction_types<M, std::make_index_sequence<count>,
                                        std::make_index_sequence<sizeof...(Args) - count>, Args...>;
  static_assert(count > 0,
                "tessera::reduction(m, xs..., options...): requires lazy arrays behind m; "
                "asarray(x) is one of the ndarray x");
  static_assert(monoid_is_empty<M>,
                "tessera::reduction(m, xs...): requires an m that holds nothing: its functions are "
                "static, and depend on their arguments alone");
  static_assert(!monoid_is_empty<M> || monoid_has_state<M>,
                "tessera::reduction(m, xs...): requires m to name its state, an element type or a "
                "std::tuple of them: using state = double");
  static_assert(
      monoid_has_identity<M>,
      "tessera::reduction(m, xs...): requires m to have the state that has taken nothing: "
      "static constexpr state identity = 0");
  static_assert(
      count == 0 || types::takes_elements,
      "tessera::reduction(m, xs...): requires m.take(state, one element of each of xs) to "
      "return its state");
  static_assert(monoid_merges<M>,
                "tessera::reduction(m, xs...): requires m.merge(state, state) to return its state");
  static_assert(monoid_finishes<M>,
                "tessera::reduction(m, xs...): requires m.finish(state) to return an element, or a "
                "std::tuple of them");
  static_assert(count == 0 || types::are_options,
                "tessera::reduction(m, xs..., options...): requires each option to be axis<k>, of "
                "axes of xs that differ, keepdims or where(valid): reduction(m, x, axis<0>)");
  if constexpr (types::holds) {
    return types::template nodes<typename op::monoid<M>::template result<>>(std::tuple(args...));
  } else {
    return std::get<0>(std::tuple(args...));
  }
}
/// As above, of arrays that are aligned by names.
template <class M, class... Args>
requires have_names<Args...>
[[nodiscard]] auto reduction(const M& m, const Args&... args) {
  return detail::by_names<true>([&m](const auto&... xs) { return reduction(m, xs...); }, args...);
}

}  // namespace tessera
