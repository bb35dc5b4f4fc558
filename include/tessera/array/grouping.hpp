// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The groups into which positions along an axis fall by their times.

#include "tessera/array/from_memory.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/times.hpp"
#include "tessera/core/calendar.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/gather_maps.hpp"
#include "tessera/expr/gathered.hpp"
#include "tessera/function/groupby.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// The group of each position along an axis.
struct grouping {
  /// For each position the number of its group, from 0; -1 if the time is missing.
  ndarray<std::int64_t, 1> labels;
  /// The name of each group: the month, the year.
  std::vector<std::int64_t> keys;

  /// Returns the number of groups.
  [[nodiscard]] index_t size() const { return static_cast<index_t>(keys.size()); }
};

/// Returns `fold` of each group of positions along an axis: see `groupby_reduce` of labels.
///
/// Example: `groupby_reduce(t, months(open_times("era5.zarr/time")), op::mean{}, axis<0>)`.
template <unnamed_argument X, class F, class... Options>
[[nodiscard]] auto groupby_reduce(const X& x, const grouping& groups, const F& fold,
                                  Options... options) {
  return groupby_reduce(x, asarray(groups.labels), fold, groups.size(), options...);
}

namespace detail {

/// Returns the map from each position to the element of its group.
///
/// Throws: shape_error <- the axis has not one element for each group. value_error <- a position
/// has no group.
[[nodiscard]] mapped_shape map_to_groups(const index_vector& shape, const grouping& groups,
                                         std::size_t axis);

}  // namespace detail

/// Returns an array that has at each position along an axis the element of `x` for its group. It
/// reverses `groupby_reduce`: an anomaly is `t - expand_groups(climatology, groups, axis<0>)`.
///
/// Throws: shape_error <- the axis has not one element for each group. value_error <- a position
///         has no group.
template <unnamed_argument X, int Axis>
[[nodiscard]] auto expand_groups(const X& x, const grouping& groups, axis_list<Axis>) {
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::expand_groups(x, groups, axis<k>): requires an axis in [-rank, rank)");
  if constexpr (axes_in_range<X::rank, Axis>) {
    constexpr std::size_t axis = normalised_axis(Axis, X::rank);
    return make_gathered<X::rank>("expand_groups", x,
                                  detail::map_to_groups(x.layout().shape, groups, axis));
  } else {
    return x;
  }
}

/// Return the groups of times of one part of the date. Each value of the part has a group, even if
/// no time falls into it; years have groups from the first to the last.
/// Keys:   months 1 to 12, seasons 0 to 3 (December to February first), days of the year 1 to 366
///         or to the length of the calendar's year, hours 0 to 23.
/// Source: xarray's `time.month`, `time.season`, `time.dayofyear`, `time.hour`, `time.year`.
[[nodiscard]] grouping months(const time_axis& axis);
[[nodiscard]] grouping seasons(const time_axis& axis);
[[nodiscard]] grouping days_of_year(const time_axis& axis);
[[nodiscard]] grouping hours(const time_axis& axis);
[[nodiscard]] grouping years(const time_axis& axis);

/// A length of time that a calendar has.
enum class period : std::uint8_t {
  hour,
  day,
  month,
  season,  ///< three months; the first is from December to February
  year,
};

/// Groups that follow one another in time.
struct resampling : grouping {
  /// The time at which each group begins.
  std::vector<date_time> starts;
};

/// Returns groups of `count` periods each, from the period of the first time to the period of the
/// last. Groups without a time are included. Hours and days are
/// counted from the midnight before the first time.
///
/// Throws: value_error <- `count` is not positive, or a time is before the one before it.
/// Source: xarray's `resample` with "h", "D", "MS", "QS-DEC", "YS".
[[nodiscard]] resampling resample(const time_axis& axis, period every, index_t count = 1);

}  // namespace tessera
