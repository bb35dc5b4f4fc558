// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes numbers into parts of arrays: for stored_parts.py.
///
/// usage: part_exchange <work directory> <executor> <dies at> <array> <place>...
///
/// A place is "append:<axis>:<rows>:<columns>:<first>", or "<from>:<to>:<from>:<to>:<first>", a
/// region. Its elements are `first`, `first + 1`, ... in row-major order, as float64; the program
/// kills itself at an element of `dies at`.
#include "tessera/tessera.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

struct deadly {
  double dies_at = 0;
  double operator()(double x) const {
    if (x == dies_at) static_cast<void>(std::raise(SIGKILL));
    return x;
  }
};

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  return parts;
}

auto numbers(ts::index_t rows, ts::index_t columns, double first, double dies_at,
             const ts::spec& limits) {
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  for (double& value : values) value = first++;
  return ts::map(deadly{dies_at},
                 ts::from_memory(std::move(values), {rows, columns}, {.spec = limits}));
}

void write(const std::vector<std::string>& arguments, const ts::run_with& settings) {
  const ts::spec limits{.work_dir = arguments[0]};
  const double dies_at = std::stod(arguments[2]);
  std::vector<ts::store_target> targets;
  for (std::size_t i = 4; i < arguments.size(); ++i) {
    const std::vector<std::string> words = parts_of(arguments[i]);
    const double first = std::stod(words[4]);
    if (words[0] == "append") {
      const auto x = numbers(std::stol(words[2]), std::stol(words[3]), first, dies_at, limits);
      targets.emplace_back(words[1] == "0" ? ts::appended(x, arguments[3], ts::axis<0>)
                                           : ts::appended(x, arguments[3], ts::axis<1>));
      continue;
    }
    std::array<ts::index_t, 4> bounds{};
    for (std::size_t k = 0; k < bounds.size(); ++k) bounds.at(k) = std::stol(words[k]);
    const auto [row_start, row_stop, column_start, column_stop] = bounds;
    const auto x =
        numbers(row_stop - row_start, column_stop - column_start, first, dies_at, limits);
    targets.emplace_back(ts::stored(
        x, arguments[3],
        {.region = {ts::slice(row_start, row_stop), ts::slice(column_start, column_stop)}}));
  }
  ts::store(targets, settings);
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 5) return EXIT_FAILURE;
  try {
    write(arguments, {.executor = ts::make_executor(arguments[1])});
  } catch (const ts::error& failure) {
    std::cerr << failure.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
