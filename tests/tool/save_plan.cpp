// SPDX-License-Identifier: Apache-2.0
// Saves a plan of a function of this program, which no other program can restore; in a folder, its
// table, explanation and picture.
//
// usage: save_plan <plan file> <folder>

#include <fstream>
#include <span>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime running{argc, argv};
  const std::span<char*> paths(argv, static_cast<std::size_t>(argc));
  const std::string folder = paths[2];
  const ts::spec many{.costs = {.workers = 64}};
  const auto x = ts::arange<double>(100'000'000, {.chunks = {1'000'000}, .spec = many});
  const auto half = ts::map([](double value) { return value / 2; }, x);
  const auto planned = ts::plan(ts::mean(half), ts::max(half));
  planned.save(paths[1]);
  std::ofstream(folder + "/table") << planned.bounded().to_string();
  std::ofstream(folder + "/explanation") << planned.explain();
  std::ofstream(folder + "/explanation.json") << planned.explain().to_json();
  planned.bounded().visualize(folder + "/picture.svg");
}
