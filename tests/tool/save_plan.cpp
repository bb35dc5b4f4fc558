// SPDX-License-Identifier: Apache-2.0
// Saves a plan of a function of this program, which no other program can restore, and its table.
//
// usage: save_plan <plan file> <table file>

#include <fstream>
#include <span>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime running{argc, argv};
  const std::span<char*> paths(argv, static_cast<std::size_t>(argc));
  const auto x = ts::arange<double>(1000);
  const auto half = ts::map([](double value) { return value / 2; }, x);
  const auto planned = ts::plan(ts::mean(half), ts::max(half));
  planned.save(paths[1]);
  std::ofstream(paths[2]) << planned.bounded().to_string();
}
