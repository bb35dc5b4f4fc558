// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/bytes.hpp"

#include "tessera/core/error.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <ostream>
#include <utility>

namespace tessera {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 10> units{{{"", 1},
                                                                     {"B", 1},
                                                                     {"kB", 1e3},
                                                                     {"MB", 1e6},
                                                                     {"GB", 1e9},
                                                                     {"TB", 1e12},
                                                                     {"KiB", 0x1p10},
                                                                     {"MiB", 0x1p20},
                                                                     {"GiB", 0x1p30},
                                                                     {"TiB", 0x1p40}}};

std::string group_digits(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace

void bytes::throw_negative() { throw value_error("bytes: a size is at least 0"); }

bytes bytes::parse(std::string_view text) {
  const auto fail = [&]() -> bytes {
    throw value_error(fmt::format(
        "size '{}': a size is a number and a unit, as in 200MB, 1.5 GiB or 4096", text));
  };
  double number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !(number >= 0)) return fail();
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const auto& [name, factor] : units) {
    const double count = std::round(number * factor);
    if (unit == name && count < 0x1p63) return bytes{static_cast<std::uint64_t>(count)};
  }
  return fail();
}

std::string format_short(bytes size) {
  const auto count = static_cast<double>(size.count());
  if (count < 1e3) return fmt::format("{} B", size.count());
  for (const auto& [unit, factor] : {std::pair{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}) {
    if (count < factor * 999.5)
      return fmt::format("{:.{}f} {}", count / factor, count < factor * 99.95 ? 1 : 0, unit);
  }
  return fmt::format("{:.1f} TB", count / 1e12);
}

std::string format(bytes size) {
  if (size.count() < 1000) return format_short(size);
  return fmt::format("{} ({} B)", format_short(size), group_digits(size.count()));
}

std::ostream& operator<<(std::ostream& out, bytes size) { return out << format(size); }

}  // namespace tessera
