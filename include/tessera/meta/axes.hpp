// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Axes as compile-time values, and the rules that functions state about them.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Axes of an array, negative ones counted from the last.
template <int... Axes>
struct axis_list {
  static constexpr std::size_t size = sizeof...(Axes);
};

/// The axes that a function works along: `sum(x, axis<0, -1>)`.
template <int... Axes>
inline constexpr axis_list<Axes...> axis{};

/// An axis that is known when the program runs: `axis_at(k)`.
struct run_time_axis {
  int value;
};

/// Returns the axis `k`, counted from the last if negative, which is known only at run time:
/// `sum(x, axis_at(k))`. A function of it throws shape_error if `x` has no such axis.
[[nodiscard]] constexpr run_time_axis axis_at(int k) { return {k}; }

namespace detail {

template <class T>
inline constexpr bool is_axis_list = false;
template <int... Axes>
inline constexpr bool is_axis_list<axis_list<Axes...>> = true;

/// The axes among the options; `void` if there are none.
template <class... Options>
struct find_axes {
  using type = void;
};
template <class Option, class... Options>
struct find_axes<Option, Options...> : find_axes<Options...> {};
template <int... Axes, class... Options>
struct find_axes<axis_list<Axes...>, Options...> {
  using type = axis_list<Axes...>;
};
template <class... Options>
struct find_axes<run_time_axis, Options...> {
  using type = run_time_axis;
};
template <class... Options>
using axes_of = typename find_axes<Options...>::type;

}  // namespace detail

/// The type of `keepdims`.
struct keepdims_t {
  explicit keepdims_t() = default;
};

/// Asks a reduction to keep the axes that it reduces, with extent 1.
inline constexpr keepdims_t keepdims{};

/// Tells whether each of `Axes` is in `[-Rank, Rank)`.
template <std::size_t Rank, int... Axes>
inline constexpr bool axes_in_range =
    ((Axes >= -static_cast<int>(Rank) && Axes < static_cast<int>(Rank)) && ...);

/// Returns an axis counted from the first, for one that is in `[-rank, rank)`.
constexpr std::size_t normalised_axis(int axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(rank) : axis);
}

/// Tells whether no two of `Axes` name the same axis of an array of rank `Rank`.
template <std::size_t Rank, int... Axes>
inline constexpr bool axes_distinct = [] {
  const std::array<int, sizeof...(Axes)> axes{Axes...};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (normalised_axis(axes[i], Rank) == normalised_axis(axes[j], Rank)) return false;
    }
  }
  return true;
}();

/// Tells whether two ranks are equal.
template <std::size_t Rank, std::size_t Required>
inline constexpr bool rank_is = Rank == Required;

/// Tells whether the first rank is at most the second.
template <std::size_t Rank, std::size_t Limit>
inline constexpr bool rank_at_most = Rank <= Limit;

/// Tells whether the first rank is at least the second.
template <std::size_t Rank, std::size_t Limit>
inline constexpr bool rank_at_least = Rank >= Limit;

/// Tells whether all ranks are equal.
template <std::size_t First, std::size_t... Others>
inline constexpr bool ranks_equal = ((First == Others) && ...);

/// Tells whether `Given` arguments are as many as are required.
template <std::size_t Given, std::size_t Required>
inline constexpr bool count_is = Given == Required;

/// A set of axes, one bit for each.
using axis_mask = std::uint32_t;

/// The axes `Axes` of an array of rank `Rank`; all axes if there are none.
template <std::size_t Rank, int... Axes>
inline constexpr axis_mask axis_mask_of = [] {
  if constexpr (sizeof...(Axes) == 0) {
    return static_cast<axis_mask>((std::uint64_t{1} << Rank) - 1);
  } else {
    return static_cast<axis_mask>(((axis_mask{1} << normalised_axis(Axes, Rank)) | ...));
  }
}();

}  // namespace tessera
