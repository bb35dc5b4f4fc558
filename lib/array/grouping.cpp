// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/grouping.hpp"

#include "tessera/core/error.hpp"

#include "core/api/floor_quotient.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using point = std::optional<date_time>;

constexpr std::int64_t microseconds_in_hour = 3'600'000'000;
constexpr std::int64_t microseconds_in_day = 24 * microseconds_in_hour;

/// Returns the groups of `count` values from `first` on; `value` maps a time to its value.
template <class F>
grouping group(const time_axis& axis, std::int64_t first, std::int64_t count, F value) {
  grouping groups{ndarray<std::int64_t, 1>({axis.size()}), {}};
  std::ranges::transform(axis, groups.labels.data(), [&](const point& time) {
    return time ? value(*time) - first : std::int64_t{-1};
  });
  for (std::int64_t i = 0; i < count; ++i) groups.keys.push_back(first + i);
  return groups;
}

/// Returns the number of months from year 0 to the month of a time.
std::int64_t month_number(const date_time& time) { return time.year * 12 + time.month - 1; }

/// The numbers of periods, from the period of `first` on.
class period_grid {
 public:
  period_grid(calendar in, const date_time& first, period every, index_t count)
      : calendar_(in), count_(count), is_of_months_(every >= period::month) {
    if (!is_of_months_) {
      const date_time midnight{.year = first.year, .month = first.month, .day = first.day};
      length_ = every == period::hour ? microseconds_in_hour : microseconds_in_day;
      origin_ = microseconds_of(in, midnight);
      // Hours before the first time have no group.
      const std::int64_t skipped = number(first);
      origin_ += skipped * length_ * count_;
      return;
    }
    length_ = every == period::month ? 1 : every == period::season ? 3 : 12;
    origin_ = month_number(first);
    if (every == period::season) origin_ -= (first.month % 12) % 3;
    if (every == period::year) origin_ -= first.month - 1;
  }

  [[nodiscard]] std::int64_t number(const date_time& time) const {
    const std::int64_t at = is_of_months_ ? month_number(time) : microseconds_of(calendar_, time);
    return detail::floor_quotient(at - origin_, length_ * count_);
  }

  [[nodiscard]] date_time start(std::int64_t number) const {
    const std::int64_t at = origin_ + number * length_ * count_;
    if (!is_of_months_) return date_at(calendar_, at);
    const std::int64_t year = detail::floor_quotient(at, 12);
    return {.year = year, .month = static_cast<int>(at - year * 12) + 1};
  }

 private:
  calendar calendar_;
  std::int64_t count_;
  bool is_of_months_;
  /// In months or microseconds.
  std::int64_t length_ = 1;
  std::int64_t origin_ = 0;
};

void check_order(const time_axis& axis) {
  point before;
  for (index_t i = 0; i < axis.size(); ++i) {
    if (!axis[i]) continue;
    if (before && *axis[i] < *before) {
      throw value_error(fmt::format(
          "resample: time {} at {} is before {}, which comes before it; sort the times first",
          to_string(*axis[i]), i, to_string(*before)));
    }
    before = axis[i];
  }
}

}  // namespace

mapped_shape detail::map_to_groups(const index_vector& shape, const grouping& groups,
                                   std::size_t axis) {
  if (shape[axis] != groups.size()) {
    throw shape_error(fmt::format(
        "expand_groups: axis {} of x of shape {} has one element for each group, and there are {} "
        "groups",
        axis, format_shape(shape), groups.size()));
  }
  const std::span<const std::int64_t> labels = groups.labels.span();
  const auto missing = std::ranges::find_if(labels, [](std::int64_t label) { return label < 0; });
  if (missing != labels.end()) {
    throw value_error(fmt::format("expand_groups: position {} has no group, as its time is missing",
                                  missing - labels.begin()));
  }
  return map_taken("expand_groups", shape, axis, {labels.begin(), labels.end()},
                   {static_cast<index_t>(labels.size())});
}

grouping months(const time_axis& axis) {
  return group(axis, 1, 12, [](const date_time& time) { return std::int64_t{time.month}; });
}

grouping seasons(const time_axis& axis) {
  return group(axis, 0, 4, [](const date_time& time) { return std::int64_t{time.month % 12 / 3}; });
}

grouping days_of_year(const time_axis& axis) {
  const calendar in = axis.calendar();
  const std::int64_t most = in == calendar::days_360 ? 360 : in == calendar::no_leap ? 365 : 366;
  return group(axis, 1, most,
               [in](const date_time& time) { return std::int64_t{day_of_year(in, time)}; });
}

grouping hours(const time_axis& axis) {
  return group(axis, 0, 24, [](const date_time& time) { return std::int64_t{time.hour}; });
}

grouping years(const time_axis& axis) {
  std::optional<std::int64_t> first;
  std::int64_t last = 0;
  for (const point& time : axis) {
    if (!time) continue;
    last = first ? std::max(last, time->year) : time->year;
    first = first ? std::min(*first, time->year) : time->year;
  }
  return group(axis, first.value_or(0), first ? last - *first + 1 : 0,
               [](const date_time& time) { return time.year; });
}

resampling resample(const time_axis& axis, period every, index_t count) {
  if (count < 1) {
    throw value_error(fmt::format("resample: groups of {} periods; at least 1 is required", count));
  }
  check_order(axis);
  const auto first = std::ranges::find_if(axis, [](const point& time) { return time.has_value(); });
  if (first == axis.end()) {
    return {{group(axis, 0, 0, [](const date_time&) { return std::int64_t{0}; })}, {}};
  }
  const period_grid grid(axis.calendar(), **first, every, count);
  std::int64_t last = 0;
  for (const point& time : axis) last = time ? grid.number(*time) : last;
  resampling groups{
      {group(axis, 0, last + 1, [&](const date_time& time) { return grid.number(time); })}, {}};
  for (std::int64_t i = 0; i <= last; ++i) groups.starts.push_back(grid.start(i));
  return groups;
}

}  // namespace tessera
