// SPDX-License-Identifier: Apache-2.0

/// \file
/// Decodes times for a test that compares them with cftime's.
///
/// Each line of the input is "calendar|units|values"; for each value a line of the output is the
/// time, its month, season, day of the year and hour as groups, or the fault of the line.

#include "tessera/tessera.hpp"

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

template <class T>
ts::time_axis decode(const std::string& values, const std::string& units,
                     const std::string& calendar) {
  std::istringstream in(values);
  std::vector<T> numbers;
  for (T value{}; in >> value;) numbers.push_back(value);
  const ts::ndarray<T, 1> axis({static_cast<ts::index_t>(numbers.size())},
                               std::span<const T>(numbers));
  return ts::decode_times(axis, units, calendar);
}

void print(const ts::time_axis& axis) {
  const ts::grouping months = ts::months(axis);
  const ts::grouping seasons = ts::seasons(axis);
  const ts::grouping days = ts::days_of_year(axis);
  const ts::grouping hours = ts::hours(axis);
  for (ts::index_t i = 0; i < axis.size(); ++i) {
    std::cout << ts::to_string(*axis[i]) << ' ' << months.labels(i) << ' ' << seasons.labels(i)
              << ' ' << days.labels(i) << ' ' << hours.labels(i) << '\n';
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t first = line.find('|');
    const std::size_t second = line.find('|', first + 1);
    const std::string calendar = line.substr(0, first);
    const std::string units = line.substr(first + 1, second - first - 1);
    const std::string values = line.substr(second + 1);
    try {
      print(values.find('.') == std::string::npos ? decode<std::int64_t>(values, units, calendar)
                                                  : decode<double>(values, units, calendar));
    } catch (const ts::error& e) {
      std::cout << "error: " << e.what() << '\n';
    }
  }
}
