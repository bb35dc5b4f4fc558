// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Times along an axis by the CF conventions.

#include "tessera/array/ndarray.hpp"
#include "tessera/array/open.hpp"
#include "tessera/core/calendar.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/storage/stored_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

class zarr_array;

/// Points in time along an axis, in a calendar; nothing for a missing time.
class time_axis {
 public:
  time_axis(std::vector<std::optional<date_time>> points, tessera::calendar in)
      : points_(std::move(points)), calendar_(in) {}

  [[nodiscard]] index_t size() const { return static_cast<index_t>(points_.size()); }
  [[nodiscard]] const std::optional<date_time>& operator[](index_t i) const {
    return points_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] auto begin() const { return points_.begin(); }
  [[nodiscard]] auto end() const { return points_.end(); }
  [[nodiscard]] tessera::calendar calendar() const { return calendar_; }

 private:
  std::vector<std::optional<date_time>> points_;
  tessera::calendar calendar_;
};

namespace detail {

[[nodiscard]] time_axis decode_times(std::span<const double> values, std::string_view units,
                                     std::string_view calendar);
[[nodiscard]] time_axis decode_times(std::span<const std::int64_t> values, std::string_view units,
                                     std::string_view calendar);

/// A number of units, in the type that `decode` takes exactly.
template <class T>
using counted_t = std::conditional_t<std::integral<T>, std::int64_t, double>;

/// Throws value_error if no int64 is `value`.
void check_count(std::uint64_t value);

template <class T>
counted_t<T> counted(T value) {
  if constexpr (std::same_as<T, std::uint64_t>) check_count(value);
  return static_cast<counted_t<T>>(value);
}

}  // namespace detail

/// Returns the times that `values` count in `units`, "<unit> since <date>", such as
/// "hours since 1970-01-01 00:00:00"; NaN is a missing one. Fractions are rounded to microseconds.
///
/// Units:  days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds, and their CF
///         abbreviations; months in the calendar of 360 days. A date may end in a time zone.
/// Throws: value_error <- units or calendar are not CF's, or a time is more than 290,000 years
///         away. dtype_error <- values of bool or complex numbers.
/// Source: CF conventions 1.10, section 4.4; cftime.num2date.
template <element T>
requires real_element<T>
[[nodiscard]] time_axis decode_times(const ndarray<T, 1>& values, std::string_view units,
                                     std::string_view calendar = "standard") {
  std::vector<detail::counted_t<T>> numbers;
  for (const T value : values.span()) numbers.push_back(detail::counted(value));
  return detail::decode_times(std::span<const detail::counted_t<T>>(numbers), units, calendar);
}

/// Returns the numbers that `decode_times` decodes to `dates`.
///
/// Throws: value_error <- units or calendar are not CF's, or the calendar has no such date.
/// Source: cftime.date2num.
[[nodiscard]] ndarray<double, 1> encode_times(std::span<const date_time> dates,
                                              std::string_view units,
                                              std::string_view calendar = "standard");

/// Reads the times of a stored axis: an array of rank 1 with the attributes `units` and `calendar`,
/// or one of datetime64. Missing times are its `_FillValue`, or its own fill value if there is no
/// `_FillValue`, its `missing_value`, and the least of int64, by which xarray writes them.
///
/// Example: `ts::open_times("one_step.zarr/time", {.missing = ts::missing_chunks::fill})`
/// Memory:  the whole axis is read at once.
/// Throws: as above; zarr_error, shape_error <- no such array is there.
[[nodiscard]] time_axis open_times(const std::string& path, const open_options& options = {});
[[nodiscard]] time_axis read_times(const stored_array& axis);
[[nodiscard]] time_axis read_times(const zarr_array& axis);

}  // namespace tessera
