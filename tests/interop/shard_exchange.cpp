// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes 0, 0.5, 1, ... into an array with shards of 2 MiB, within 2.4 MB: for streamed_shards.py.
///
/// usage: shard_exchange <work directory> <array> <rows> <columns>
#include "tessera/tessera.hpp"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

void write(const std::vector<std::string>& arguments) {
  const ts::spec limits{.work_dir = arguments[0], .allowed_memory = ts::bytes{2'400'000}};
  const ts::index_t rows = std::stol(arguments[2]);
  const ts::index_t columns = std::stol(arguments[3]);
  const double count = static_cast<double>(rows) * static_cast<double>(columns);
  const auto x = ts::reshape(ts::arange(count, {.spec = limits}), {rows, columns});
  const auto plan = ts::plan(ts::stored(x * 0.5, arguments[1], {.region = {ts::whole, ts::whole}}),
                             {.executor = ts::executors::serial()});
  std::ostringstream text;
  text << plan.explain();
  if (text.str().find("step by step") == std::string::npos) {
    throw ts::value_error("the shards are written at once");
  }
  static_cast<void>(plan.compute());
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 4) return EXIT_FAILURE;
  try {
    write(arguments);
  } catch (const ts::error& failure) {
    std::cerr << failure.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
