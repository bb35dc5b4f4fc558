// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/calendar.hpp"

#include "tessera/core/error.hpp"

#include "core/api/floor_quotient.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <tuple>
#include <utility>

namespace tessera {

namespace {

constexpr std::int64_t day_length = 86'400'000'000;  // microseconds
constexpr std::int64_t furthest_year = 290'000;

constexpr std::array<std::pair<std::string_view, calendar>, 9> names{{
    {"standard", calendar::standard},
    {"gregorian", calendar::standard},
    {"proleptic_gregorian", calendar::proleptic_gregorian},
    {"julian", calendar::julian},
    {"noleap", calendar::no_leap},
    {"365_day", calendar::no_leap},
    {"all_leap", calendar::all_leap},
    {"366_day", calendar::all_leap},
    {"360_day", calendar::days_360},
}};

// The standard calendar is Julian up to 1582-10-04, and Gregorian from 1582-10-15 on.

/// The first Gregorian day, 1582-10-15, in days from the first of Gregorian year 1.
constexpr std::int64_t first_gregorian_day = 577735;
/// Julian year 1 began two days earlier than Gregorian year 1.
constexpr std::int64_t julian_lead = 2;

bool is_leap(calendar in, std::int64_t year) {
  switch (in) {
    case calendar::standard:
      return is_leap(year >= 1582 ? calendar::proleptic_gregorian : calendar::julian, year);
    case calendar::proleptic_gregorian:
      return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    case calendar::julian:
      return year % 4 == 0;
    case calendar::all_leap:
      return true;
    case calendar::no_leap:
    case calendar::days_360:
      break;
  }
  return false;
}

/// Returns the days from the first of year 1 to the first of `year`, in any but the standard
/// calendar.
std::int64_t days_before_year(calendar in, std::int64_t year) {
  const std::int64_t past = year - 1;
  switch (in) {
    case calendar::proleptic_gregorian:
      return 365 * past + detail::floor_quotient(past, 4) - detail::floor_quotient(past, 100) +
             detail::floor_quotient(past, 400);
    case calendar::julian:
      return 365 * past + detail::floor_quotient(past, 4);
    case calendar::no_leap:
      return 365 * past;
    case calendar::all_leap:
      return 366 * past;
    default:
      return 360 * past;
  }
}

/// Returns the days of a year before its month `month`; 13 stands for the end of the year.
int days_before_month(calendar in, std::int64_t year, int month) {
  if (in == calendar::days_360) return 30 * (month - 1);
  constexpr std::array<int, 13> before{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  return before[static_cast<std::size_t>(month - 1)] + (month > 2 && is_leap(in, year) ? 1 : 0);
}

bool is_julian(const date_time& when) {
  return std::tie(when.year, when.month, when.day) < std::tuple(1582, 10, 15);
}

/// Returns the days from the first of year 1 to a date. The standard calendar counts from the first
/// of Gregorian year 1.
std::int64_t day_number(calendar in, const date_time& when) {
  if (in == calendar::standard) {
    return is_julian(when) ? day_number(calendar::julian, when) - julian_lead
                           : day_number(calendar::proleptic_gregorian, when);
  }
  return days_before_year(in, when.year) + days_before_month(in, when.year, when.month) + when.day -
         1;
}

date_time date_of_day(calendar in, std::int64_t day) {
  if (in == calendar::standard) {
    return day < first_gregorian_day ? date_of_day(calendar::julian, day + julian_lead)
                                     : date_of_day(calendar::proleptic_gregorian, day);
  }
  // The mean length of a year gives the year or a neighbour of it.
  std::int64_t year = detail::floor_quotient(day, in == calendar::days_360 ? 360 : 365) + 1;
  if (in != calendar::no_leap && in != calendar::days_360) {
    year =
        detail::floor_quotient(day * 10'000, in == calendar::all_leap ? 3'660'000 : 3'652'425) + 1;
  }
  while (days_before_year(in, year) > day) --year;
  while (days_before_year(in, year + 1) <= day) ++year;
  const int rest = static_cast<int>(day - days_before_year(in, year));
  int month = 1;
  while (days_before_month(in, year, month + 1) <= rest) ++month;
  return {.year = year, .month = month, .day = rest - days_before_month(in, year, month) + 1};
}

/// Returns the calendar that applies to a date of `in`: Julian or Gregorian for the standard one.
calendar rule_at(calendar in, const date_time& when) {
  if (in != calendar::standard) return in;
  return is_julian(when) ? calendar::julian : calendar::proleptic_gregorian;
}

bool exists(calendar in, const date_time& when) {
  if (when.month < 1 || when.month > 12 || when.hour < 0 || when.hour > 23 || when.minute < 0 ||
      when.minute > 59 || when.second < 0 || when.second > 59 || when.microsecond < 0 ||
      when.microsecond > 999'999) {
    return false;
  }
  if (in == calendar::standard && is_julian(when) &&
      std::tie(when.year, when.month, when.day) > std::tuple(1582, 10, 4)) {
    return false;
  }
  const calendar rule = rule_at(in, when);
  return when.day >= 1 && when.day <= days_before_month(rule, when.year, when.month + 1) -
                                          days_before_month(rule, when.year, when.month);
}

}  // namespace

std::string to_string(const date_time& when) {
  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", when.year, when.month,
                                 when.day, when.hour, when.minute, when.second);
  if (when.microsecond != 0) text += fmt::format(".{:06}", when.microsecond);
  return text;
}

calendar parse_calendar(std::string_view name) {
  // CF conventions 1.10, section 2.6: programs should not be sensitive to the case of names.
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string known;
  for (const auto& [known_name, value] : names) {
    if (known_name == lower) return value;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", known_name);
  }
  throw value_error(fmt::format(
      "calendar: \"{:.80}\" is no calendar of the CF conventions; those are {}", name, known));
}

std::string_view name_of(calendar in) {
  for (const auto& [name, value] : names) {
    if (value == in) return name;
  }
  return "";
}

int day_of_year(calendar in, const date_time& when) {
  return days_before_month(in, when.year, when.month) + when.day;
}

std::int64_t microseconds_of(calendar in, const date_time& when) {
  if (!exists(in, when) || when.year > furthest_year || when.year < -furthest_year) {
    throw value_error(fmt::format("the calendar {} has no {}{}", name_of(in), to_string(when),
                                  exists(in, when) ? ": it goes 290,000 years both ways" : ""));
  }
  const std::int64_t seconds = when.hour * 3600 + when.minute * 60 + when.second;
  return day_number(in, when) * day_length + seconds * 1'000'000 + when.microsecond;
}

date_time date_at(calendar in, std::int64_t microseconds) {
  const std::int64_t day = detail::floor_quotient(microseconds, day_length);
  const std::int64_t rest = microseconds - day * day_length;
  date_time when = date_of_day(in, day);
  when.microsecond = static_cast<int>(rest % 1'000'000);
  const int seconds = static_cast<int>(rest / 1'000'000);
  when.second = seconds % 60;
  when.minute = seconds / 60 % 60;
  when.hour = seconds / 3600;
  return when;
}

}  // namespace tessera
