// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Monoids: the definition of a fold or a scan by a user.
///
/// ```cpp
/// struct range_of {
///   using state = std::tuple<float, float>;                // element types, or one alone
///   static constexpr state identity{INFINITY, -INFINITY};  // the state that has taken nothing
///   static state take(state s, float x) {                  // one element of each array
///     return {std::min(get<0>(s), x), std::max(get<1>(s), x)};
///   }
///   static state merge(state a, state b);                  // the elements of b come after a
///   static float finish(state s);                          // or a tuple: several results
/// };
/// ```
/// `merge` is associative and `identity` changes nothing; if one axis is folded, or scanned, states
/// meet in its order. Without `finish` the state is the result. A loop over `take` becomes vectors
/// if `take` chooses by `?:` instead of branches.
///
/// The library's own statistics are monoids as well. `kernel/detail` has those of sums
/// (`monoid_sums.hpp`), of moments (`monoid_moments.hpp`), and of extremes, products and positions
/// (`monoid_common.hpp`). Each is used by folds and groups (`monoid_fold.hpp`), scans
/// (`monoid_scan.hpp`) and windows (`rolling_scan.hpp`). Such a monoid may have loops over strips,
/// which `fold_by_monoid` calls in place of its own.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The element types that a value is made of: its own, or those of a tuple.
template <class T>
struct elements_of {
  static constexpr bool are_elements = element<T>;
  static constexpr std::size_t size = 1;
  template <std::size_t I>
  using at = T;

  static std::vector<dtype> dtypes() { return {dtype_of<T>}; }
};
template <class... Ts>
struct elements_of<std::tuple<Ts...>> {
  static constexpr bool are_elements = sizeof...(Ts) > 0 && (element<Ts> && ...);
  static constexpr std::size_t size = sizeof...(Ts);
  template <std::size_t I>
  using at = std::tuple_element_t<I, std::tuple<Ts...>>;

  static std::vector<dtype> dtypes() { return {dtype_of<Ts>...}; }
};

/// Returns the result of `M` for a state that takes no more elements.
template <class M>
constexpr auto finished(const typename M::state& state) {
  if constexpr (requires { M::finish(state); }) {
    return M::finish(state);
  } else {
    return state;
  }
}

/// Tells whether the result of `M`, as that of a mean, needs the number of elements of its state.
template <class M>
inline constexpr bool finish_needs_count = requires(const typename M::state& state, double count) {
  M::finish(state, count);
  requires !requires { M::finish(state); };
};

/// As `finished`, for a state that has taken `count` elements.
template <class M>
constexpr auto finished(const typename M::state& state, double count) {
  if constexpr (finish_needs_count<M>) {
    return M::finish(state, count);
  } else {
    return finished<M>(state);
  }
}

/// A monoid, as that of moments, whose `take` and `merge` need the numbers of elements that states
/// have taken. It has functions that return these two for given numbers, so that a loop over states
/// of equal numbers computes the divisions once.
template <class M>
concept weighs_by_count = requires {
  M::take_into(1.0);
  M::merge_of(1.0, 1.0);
};

/// Returns `M::take` for states that have taken `n` elements.
template <class M>
constexpr auto take_into(index_t n) {
  if constexpr (weighs_by_count<M>) {
    return M::take_into(static_cast<double>(n));
  } else {
    return [](const auto& state, const auto&... xs) { return M::take(state, xs...); };
  }
}

/// Returns `M::merge` for states that have taken `n` and `m` elements.
template <class M>
constexpr auto merge_of(index_t n, index_t m) {
  if constexpr (weighs_by_count<M>) {
    return M::merge_of(static_cast<double>(n), static_cast<double>(m));
  } else {
    return [](const auto& a, const auto& b) { return M::merge(a, b); };
  }
}

/// Returns the name of `M`; `otherwise` if it has none.
template <class M>
constexpr std::string_view label_of_monoid(std::string_view otherwise) {
  if constexpr (requires { std::string_view(M::name); }) {
    return M::name;
  } else {
    return otherwise;
  }
}

template <class M>
concept names_state = requires {
  typename M::state;
};

}  // namespace detail

// The rules of a monoid, each by itself, so that a broken rule can be named in a sentence. Each
// holds if one before it does not.

/// Tells whether `M` needs no object: its functions depend on their arguments alone.
template <class M>
inline constexpr bool monoid_is_empty = std::is_empty_v<M>;

/// Tells whether `M::state` is an element type or a tuple of them.
template <class M>
inline constexpr bool monoid_has_state = false;
template <detail::names_state M>
inline constexpr bool monoid_has_state<M> = detail::elements_of<typename M::state>::are_elements;

/// Tells whether `M::identity` is a state.
template <class M>
inline constexpr bool monoid_has_identity = !monoid_has_state<M> || requires {
  { M::identity } -> std::convertible_to<typename M::state>;
};

/// Tells whether `M::take` makes a state of one and an element of each of `Xs`.
template <class M, class... Xs>
inline constexpr bool monoid_takes =
    !monoid_has_state<M> || requires(const typename M::state& state, const Xs&... xs) {
  { M::take(state, xs...) } -> std::convertible_to<typename M::state>;
};

/// Tells whether `M::merge` makes one state of two.
template <class M>
inline constexpr bool monoid_merges =
    !monoid_has_state<M> || requires(const typename M::state& state) {
  { M::merge(state, state) } -> std::convertible_to<typename M::state>;
};

/// Tells whether the results of `M` are elements.
template <class M>
inline constexpr bool monoid_finishes = true;
template <class M>
requires(monoid_has_state<M>) inline constexpr bool monoid_finishes<M> = detail::elements_of<
    decltype(detail::finished<M>(std::declval<typename M::state>()))>::are_elements;

/// A fold or scan of elements of `Xs`, as people write it.
template <class M, class... Xs>
concept monoid_of = monoid_is_empty<M> && monoid_has_state<M> && monoid_has_identity<M> &&
    monoid_takes<M, Xs...> && monoid_merges<M> && monoid_finishes<M>;

/// States of `M` in state fields: state `i` is one value in each.
template <class M>
class monoid_states {
 public:
  using state = typename M::state;
  using elements = detail::elements_of<state>;

  static std::vector<dtype> state_fields() { return elements::dtypes(); }

  explicit monoid_states(std::byte* const* state_fields) { point(state_fields, numbers{}); }
  /// As above, for states that are only read.
  explicit monoid_states(const std::byte* const* state_fields)
      : monoid_states(const_cast<std::byte* const*>(state_fields)) {}

  [[nodiscard]] state get(index_t i) const { return load(i, numbers{}); }
  void set(index_t i, const state& value) const { store(i, value, numbers{}); }

 private:
  using numbers = std::make_index_sequence<elements::size>;
  template <std::size_t... I>
  static auto pointers(std::index_sequence<I...>)
      -> std::tuple<typename elements::template at<I>*...>;

  template <std::size_t... I>
  void point(std::byte* const* state_fields, std::index_sequence<I...>) {
    ((std::get<I>(state_fields_) =
          static_cast<typename elements::template at<I>*>(static_cast<void*>(state_fields[I]))),
     ...);
  }
  template <std::size_t... I>
  [[nodiscard]] state load(index_t i, std::index_sequence<I...>) const {
    return state(std::get<I>(state_fields_)[i]...);
  }
  template <std::size_t... I>
  void store(index_t i, const state& value, std::index_sequence<I...>) const {
    if constexpr (element<state>) {
      std::get<0>(state_fields_)[i] = value;
    } else {
      ((std::get<I>(state_fields_)[i] = std::get<I>(value)), ...);
    }
  }

  decltype(pointers(numbers{})) state_fields_;
};

}  // namespace tessera
