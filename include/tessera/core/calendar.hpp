// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calendars of the CF conventions, and dates in them.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// A calendar of the CF conventions.
///
/// Years are astronomical: the one before year 1 is year 0.
/// Source: CF conventions 1.10, section 4.4.1.
enum class calendar : std::uint8_t {
  standard,             ///< Julian up to 1582-10-04, the day before 1582-10-15, Gregorian since
  proleptic_gregorian,  ///< Gregorian always, as numpy's datetime64 and ISO 8601
  julian,
  no_leap,   ///< 365 days in every year
  all_leap,  ///< 366 days in every year
  days_360,  ///< 12 months of 30 days
};

/// A date and a time of day.
struct date_time {
  std::int64_t year = 1970;
  int month = 1;  ///< from 1
  int day = 1;    ///< from 1
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;

  [[nodiscard]] auto operator<=>(const date_time&) const = default;
};

/// Returns "2006-04-16 12:00:00", with six digits of a second's fraction if it has one.
[[nodiscard]] std::string to_string(const date_time& when);

/// Returns the calendar of a CF name: "standard", "gregorian", "proleptic_gregorian",
/// "julian", "noleap", "365_day", "all_leap", "366_day", "360_day".
///
/// Throws: value_error <- no calendar has this name.
[[nodiscard]] calendar parse_calendar(std::string_view name);

/// Returns the CF name of the calendar `in`; of two names the first of the list above.
[[nodiscard]] std::string_view name_of(calendar in);

/// Returns the number of a date in its year, from 1. The ten days of 1582 that the standard
/// calendar has not are counted, as by cftime.
[[nodiscard]] int day_of_year(calendar in, const date_time& when);

/// Returns the microseconds from the calendar's first midnight of year 1 to `when`.
///
/// Throws: value_error <- the calendar has no such date, or it is more than 290,000 years away.
[[nodiscard]] std::int64_t microseconds_of(calendar in, const date_time& when);

/// Returns the date that is `microseconds` after the calendar's first midnight of year 1.
[[nodiscard]] date_time date_at(calendar in, std::int64_t microseconds);

}  // namespace tessera
