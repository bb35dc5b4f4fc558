// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/times.hpp"

#include "tessera/array/decode_cf.hpp"
#include "tessera/array/stored_type.hpp"
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"

#include "core/api/floor_quotient.hpp"
#include "core/api/wide_integer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <regex>
#include <variant>

namespace tessera {

namespace {

using point = std::optional<date_time>;

constexpr std::int64_t second = 1'000'000;  // microseconds
constexpr std::int64_t hour = 3600 * second;
constexpr std::int64_t day = 24 * hour;

/// The unit of a number: it counts `length / divisor` microseconds from `origin` on.
struct clock {
  tessera::calendar calendar = tessera::calendar::standard;
  std::int64_t origin = 0;
  std::int64_t length = 1;
  std::int64_t divisor = 1;
};

struct unit {
  std::array<std::string_view, 6> names;
  std::int64_t length;
  std::int64_t divisor = 1;
};

constexpr std::array<unit, 7> units_of_time{{
    {{"days", "day", "d"}, day},
    {{"hours", "hour", "hr", "hrs", "h"}, hour},
    {{"minutes", "minute", "min", "mins"}, 60 * second},
    {{"seconds", "second", "sec", "secs", "s"}, second},
    {{"milliseconds", "millisecond", "millisec", "msec", "msecs", "ms"}, 1000},
    {{"microseconds", "microsecond", "microsec", "microsecs", "us"}, 1},
    {{"nanoseconds", "nanosecond", "ns"}, 1, 1000},
}};

[[noreturn]] void refuse_units(std::string_view units, std::string_view why) {
  throw value_error(fmt::format("decode_times: \"{:.80}\" are no units of time: {}", units, why));
}

int to_int(const std::ssub_match& digits, int otherwise) {
  return digits.matched ? std::stoi(digits.str()) : otherwise;
}

/// Sets the unit of `encoding`, which may depend on its calendar.
void set_unit(clock& encoding, std::string_view name, std::string_view units) {
  for (const unit& known : units_of_time) {
    if (std::ranges::find(known.names, name) == known.names.end()) continue;
    encoding.length = known.length;
    encoding.divisor = known.divisor;
    return;
  }
  if (name != "months" && name != "month") {
    refuse_units(units,
                 "they begin with days, hours, minutes, seconds, milliseconds, "
                 "microseconds or nanoseconds");
  }
  if (encoding.calendar != calendar::days_360) {
    refuse_units(units, "months are of one length in the calendar 360_day alone");
  }
  encoding.length = 30 * day;
}

/// Returns the microseconds by which a time zone is ahead.
std::int64_t zone_of(const std::smatch& fields) {
  if (!fields[9].matched) return 0;
  const std::int64_t ahead = to_int(fields[10], 0) * hour + to_int(fields[11], 0) * 60 * second;
  return fields[9].str() == "-" ? -ahead : ahead;
}

clock parse_clock(std::string_view units, std::string_view calendar_name) {
  static const std::regex form(R"(\s*(\w+)\s+since\s+([+-]?\d{1,6})(?:-(\d{1,2}))?(?:-(\d{1,2}))?)"
                               R"((?:[ T]\s*(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2})(?:\.(\d*))?)?)?)"
                               R"(\s*(?:Z|UTC|([+-])(\d{1,2}):?(\d{2})?)?\s*)",
                               std::regex::icase);
  const std::string text(units);
  std::smatch fields;
  if (!std::regex_match(text, fields, form)) {
    refuse_units(units, "they are like \"hours since 1970-01-01 00:00:00\"");
  }
  clock encoding{.calendar = parse_calendar(calendar_name)};
  std::string name = fields[1].str();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  set_unit(encoding, name, units);
  std::string fraction = fields[8].str().substr(0, 6);
  fraction.resize(6, '0');
  const date_time origin{.year = to_int(fields[2], 0),
                         .month = to_int(fields[3], 1),
                         .day = to_int(fields[4], 1),
                         .hour = to_int(fields[5], 0),
                         .minute = to_int(fields[6], 0),
                         .second = to_int(fields[7], 0),
                         .microsecond = std::stoi(fraction)};
  encoding.origin = microseconds_of(encoding.calendar, origin) - zone_of(fields);
  return encoding;
}

[[noreturn]] void refuse_time(const std::string& value) {
  throw value_error(fmt::format(
      "decode_times: {} units are more than 290,000 years; missing times are NaN, or equal "
      "_FillValue",
      value));
}

point time_at(const clock& encoding, wide_integer microseconds, const std::string& value) {
  const wide_integer instant = microseconds + encoding.origin;
  constexpr wide_integer furthest = wide_integer{290'000} * 366 * day;
  if (instant > furthest || instant < -furthest) refuse_time(value);
  return date_at(encoding.calendar, static_cast<std::int64_t>(instant));
}

point time_of(const clock& encoding, double value) {
  if (std::isnan(value)) return std::nullopt;
  const long double exact = static_cast<long double>(value) * encoding.length / encoding.divisor;
  if (std::fabs(exact) > 1e19L) refuse_time(fmt::format("{}", value));
  return time_at(encoding, static_cast<wide_integer>(std::nearbyint(exact)),
                 fmt::format("{}", value));
}

point time_of(const clock& encoding, std::int64_t value) {
  const wide_integer exact = static_cast<wide_integer>(value) * encoding.length;
  const wide_integer rest = exact % encoding.divisor;
  return time_at(encoding, (exact - rest) / encoding.divisor - (rest < 0 ? 1 : 0),
                 std::to_string(value));
}

template <class T>
time_axis decode(std::span<const T> values, const clock& encoding) {
  std::vector<point> points;
  points.reserve(values.size());
  for (const T value : values) points.push_back(time_of(encoding, value));
  return {std::move(points), encoding.calendar};
}

/// A stored axis and its attributes.
class stored_axis {
 public:
  explicit stored_axis(const stored_array& axis) : axis_(axis) {}

  [[nodiscard]] time_axis read() const;

 private:
  [[nodiscard]] std::string text(std::string_view name, std::string otherwise) const {
    return axis_.attributes().contains(name) ? axis_.attributes().get<std::string>(name)
                                             : std::move(otherwise);
  }

  template <class T>
  [[nodiscard]] std::vector<T> elements() const {
    std::vector<T> values(static_cast<std::size_t>(axis_.shape()[0]));
    chunk_buffers buffers(axis_);
    axis_.read_region(region::whole(axis_.shape()), std::as_writable_bytes(std::span(values)),
                      buffers.decoded(), buffers.encoded());
    return values;
  }

  /// Returns the elements that are missing times: by the rules of `decode_cf`, and NumPy's
  /// not-a-time in int64, which xarray writes without a fill value.
  template <class T>
  [[nodiscard]] std::vector<T> missing_times() const {
    std::vector<T> missing;
    for (const auto& value : detail::missing_values_of(axis_)) {
      std::visit(
          [&missing](auto number) {
            const auto [element, exists] = detail::stored_value<T>(number, false);
            if (exists) missing.push_back(element);
          },
          value);
    }
    if constexpr (std::same_as<T, std::int64_t>) missing.push_back(not_a_time);
    return missing;
  }

  template <class T>
  [[nodiscard]] time_axis read_numbers(const clock& encoding) const {
    const std::vector<T> missing = missing_times<T>();
    std::vector<point> points;
    for (const T stored : elements<T>()) {
      const bool is_there = std::ranges::find(missing, stored) == missing.end();
      points.push_back(is_there ? time_of(encoding, detail::counted(stored)) : point{});
    }
    return {std::move(points), encoding.calendar};
  }

  [[nodiscard]] time_axis read_datetime64() const {
    const data_type& type = axis_.stored_type();
    constexpr auto in = tessera::calendar::proleptic_gregorian;
    const bool is_year = type.unit() == "Y";
    clock encoding{.calendar = in, .origin = microseconds_of(in, date_time{})};
    if (!is_year && type.unit() != "M") {
      set_unit(encoding,
               type.unit() == "m"   ? "min"
               : type.unit() == "D" ? "d"
                                    : type.unit(),
               "datetime64[" + type.unit() + "]");
      encoding.length *= type.multiple();
    }
    std::vector<point> points;
    for (const std::int64_t ticks : elements<std::int64_t>()) {
      if (ticks == not_a_time) {
        points.emplace_back();
      } else if (is_year || type.unit() == "M") {
        points.push_back(month_after_1970(static_cast<wide_integer>(ticks) * type.multiple() *
                                          (is_year ? 12 : 1)));
      } else {
        points.push_back(time_of(encoding, ticks));
      }
    }
    return {std::move(points), in};
  }

  static point month_after_1970(wide_integer months) {
    constexpr wide_integer furthest = wide_integer{12} * 280'000;
    if (months > furthest || months < -furthest) refuse_time("so many");
    const auto count = static_cast<std::int64_t>(months) + 1970 * 12;
    const std::int64_t year = detail::floor_quotient(count, 12);
    return date_time{.year = year, .month = static_cast<int>(count - year * 12) + 1};
  }

  const stored_array& axis_;
};

// Behind the class, as Clang 14 does not instantiate the functions that a lambda within it calls.
time_axis stored_axis::read() const {
  const data_type& type = axis_.stored_type();
  if (axis_.rank() != 1) {
    throw shape_error(fmt::format("open_times: {} has rank {}; times along an axis have rank 1",
                                  axis_.name(), axis_.rank()));
  }
  if (type.kind() == data_kind::datetime) return read_datetime64();
  const std::string units = text("units", "");
  if (units.empty()) {
    throw value_error(
        fmt::format("open_times: {} has no attribute \"units\", such as \"days since 1970-01-01\"; "
                    "decode_times takes them as an argument",
                    axis_.name()));
  }
  const clock encoding = parse_clock(units, text("calendar", "standard"));
  return visit_dtype(axis_.dtype(), [&]<class T>(type_tag<T>) -> time_axis {
    if constexpr (real_element<T>) {
      return read_numbers<T>(encoding);
    } else {
      throw dtype_error(fmt::format("open_times: {} holds {} elements; times are real numbers",
                                    axis_.name(), name_of(dtype_of<T>)));
    }
  });
}

}  // namespace

void detail::check_count(std::uint64_t value) {
  if (!std::in_range<std::int64_t>(value)) refuse_time(std::to_string(value));
}

time_axis detail::decode_times(std::span<const double> values, std::string_view units,
                               std::string_view calendar) {
  return decode(values, parse_clock(units, calendar));
}

time_axis detail::decode_times(std::span<const std::int64_t> values, std::string_view units,
                               std::string_view calendar) {
  return decode(values, parse_clock(units, calendar));
}

ndarray<double, 1> encode_times(std::span<const date_time> dates, std::string_view units,
                                std::string_view calendar) {
  const clock encoding = parse_clock(units, calendar);
  ndarray<double, 1> values({static_cast<index_t>(dates.size())});
  std::ranges::transform(dates, values.data(), [&encoding](const date_time& instant) {
    const wide_integer passed =
        microseconds_of(encoding.calendar, instant) - wide_integer{encoding.origin};
    return static_cast<double>(static_cast<long double>(passed * encoding.divisor) /
                               encoding.length);
  });
  return values;
}

time_axis read_times(const stored_array& axis) { return stored_axis(axis).read(); }

time_axis open_times(const std::string& path, const open_options& options) {
  return read_times(*detail::open_stored(path, options));
}

}  // namespace tessera
