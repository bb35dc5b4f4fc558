// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans by people's own monoids.

#include "tessera/function/detail/scan_functions.hpp"
#include "tessera/kernel/monoid_scan.hpp"

#include <string_view>
#include <utility>

namespace tessera {

namespace op {

/// The scan by `M`.
template <class M>
struct scan_by_monoid {
  static constexpr std::string_view name = [] {
    if constexpr (requires { std::string_view(M::name); }) {
      return std::string_view(M::name);
    } else {
      return std::string_view("scan");
    }
  }();
  template <element T>
  using result = decltype(detail::finished<M>(std::declval<typename M::state>()));
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<M, T>();
  }
};

}  // namespace op

/// Tells whether the result of `M` for a state is one element.
template <class M>
inline constexpr bool scan_gives_element = true;
template <class M>
requires(monoid_has_state<M>) inline constexpr bool scan_gives_element<M> =
    element<decltype(detail::finished<M>(std::declval<typename M::state>()))>;

namespace detail {

/// Refuses an `M` by which elements of `X` cannot be scanned; tells whether they can.
template <class M, class X>
constexpr bool check_scan() {
  static_assert(monoid_is_empty<M>,
                "tessera::scan(m, x), rolling(m, x, length): requires m without members: its "
                "functions are static");
  static_assert(
      monoid_has_state<M>,
      "tessera::scan(m, x), rolling(m, x, length): requires m::state, an element type or a "
      "std::tuple of them");
  static_assert(
      monoid_has_identity<M>,
      "tessera::scan(m, x), rolling(m, x, length): requires m::identity, a state that has "
      "taken nothing");
  static_assert(monoid_takes<M, X>,
                "tessera::scan(m, x), rolling(m, x, length): requires m::take(state, an element of "
                "x) to return a state");
  static_assert(monoid_merges<M>,
                "tessera::scan(m, x), rolling(m, x, length): requires m::merge(state, state) to "
                "return a state");
  static_assert(
      scan_gives_element<M>,
      "tessera::scan(m, x), rolling(m, x, length): requires m::finish(state) to return one "
      "element");
  return monoid_of<M, X> && scan_gives_element<M>;
}

}  // namespace detail

/// Returns, for each element of `x`, the reduction by `M` of it and of all elements before it along
/// an axis.
///
/// Example: `ts::scan(longest_run{}, dry, ts::axis<0>)`; `kernel/monoid.hpp` has the rules of a
/// monoid.
/// Shape, chunks, memory: as `cumulative_sum`. Dtype: that of `M`'s result.
template <class M, array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto scan(const M& /*monoid*/, const X& x, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>, "tessera::scan(x, dim<...>): requires a dimension that x has");
  constexpr bool holds = detail::check_scan<M, typename X::value_type>();
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::scan(m, x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::scan(m, x, axis<k>): requires an axis in [-rank, rank)");
  if constexpr (holds) {
    return detail::scan<holds>(op::scan_by_monoid<M>{}, x, axis);
  } else {
    return x;
  }
}

}  // namespace tessera
