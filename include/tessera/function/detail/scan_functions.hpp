// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Axis and nodes of scans.

#include "tessera/expr/layout.hpp"
#include "tessera/expr/scan_node.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/dims.hpp"
#include "tessera/meta/fixed_string.hpp"

#include <concepts>
#include <cstddef>
#include <string_view>

namespace tessera {

/// Options of a cumulative function.
struct cumulative_options {
  /// Whether the initial value, as 0 of sums, is the first element of the result.
  bool include_initial = false;
};

namespace detail {

/// Stands for the one axis of an array of rank 1.
struct only_axis {};

template <std::size_t Rank, class Axis>
struct scan_axis {
  static constexpr bool is_one = false;
  static constexpr bool is_in_range = true;
  static std::size_t of(std::string_view, const Axis&) { return 0; }
};
template <std::size_t Rank>
struct scan_axis<Rank, only_axis> {
  static constexpr bool is_one = Rank == 1;
  static constexpr bool is_in_range = true;
  static std::size_t of(std::string_view, only_axis) { return 0; }
};
template <std::size_t Rank>
struct scan_axis<Rank, run_time_axis> {
  static constexpr bool is_one = true;
  static constexpr bool is_in_range = true;
  static std::size_t of(std::string_view function, run_time_axis axis) {
    return checked_axis(function, axis.value, Rank);
  }
};
template <std::size_t Rank, fixed_string Name>
struct scan_axis<Rank, dim_list<Name>> {
  static constexpr bool is_one = true;
  static constexpr bool is_in_range = true;
};
template <std::size_t Rank, int Axis>
struct scan_axis<Rank, axis_list<Axis>> {
  static constexpr bool is_one = true;
  static constexpr bool is_in_range = axes_in_range<Rank, Axis>;
  static std::size_t of(std::string_view, axis_list<Axis>) { return normalised_axis(Axis, Rank); }
};

}  // namespace detail

/// Tells whether `Axis` is one axis of an array of rank `Rank`; of several none may be left out.
template <std::size_t Rank, class Axis>
inline constexpr bool is_axis_of_scan = detail::scan_axis<Rank, Axis>::is_one;

/// Tells whether an axis is in `[-Rank, Rank)`.
template <std::size_t Rank, class Axis>
inline constexpr bool scan_axis_fits = detail::scan_axis<Rank, Axis>::is_in_range;

namespace detail {

/// Returns the node of a scan, with names if `x` has names; `x` itself if a rule is broken. `Rules`
/// tells whether the rules of the caller hold.
template <bool Rules, class Scan, class X, class Axis>
auto scan(const Scan& tag, const X& x, const Axis& axis, bool is_reversed = false,
          bool has_initial = false, index_t skipped = 0) {
  lazy(x);
  if constexpr (!are_operands<X>) {
    return x;
  } else if constexpr (!Rules || !is_axis_of_scan<X::rank, Axis> ||
                       !scan_axis_fits<X::rank, Axis> || !dims_fit<X, Axis>) {
    return x;
  } else if constexpr (have_names<X>) {
    return along_names(
        [&](const auto& y, const auto& along) {
          return detail::scan<Rules>(tag, y, along, is_reversed, has_initial, skipped);
        },
        x, axis);
  } else {
    using op_type = op::scan<Scan>;
    return expression<op_type, X>(op_type{tag, scan_axis<X::rank, Axis>::of(Scan::name, axis),
                                          is_reversed, has_initial, skipped},
                                  x);
  }
}

/// Returns the node of a window that moves along an axis; as `scan` otherwise.
///
/// Throws: as the functions of `rolling.hpp`.
template <bool Rules, class Window, class X, class Axis>
auto roll(const Window& window, const X& x, const Axis& axis) {
  return scan<Rules>(window, x, axis, false, false, window.length - 1);
}

}  // namespace detail
}  // namespace tessera
