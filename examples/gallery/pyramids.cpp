// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A pyramid of means
///
/// Viewers of large images want them in halves, quarters and eighths. All levels leave one pass
/// over the image: each level is taken further while its block is in memory.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto row = ts::linspace(-2, 2, 512, {.chunks = {128}})(ts::whole, ts::newaxis);
  const auto column = ts::linspace(-2, 2, 512, {.chunks = {128}});
  const auto waves = ts::sin(20 * ts::hypot(row, column));
  ts::store(waves, "data.zarr/level0");

  const auto level0 = ts::open<double, 2>("data.zarr/level0");
  const auto level1 = ts::coarsen(ts::op::mean{}, level0, 2);
  const auto level2 = ts::coarsen(ts::op::mean{}, level1, 2);
  const auto level3 = ts::coarsen(ts::op::mean{}, level2, 2);
  const auto plan =
      ts::plan(ts::stored(level1, "results.zarr/level1"), ts::stored(level2, "results.zarr/level2"),
               ts::stored(level3, "results.zarr/level3"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  plan.execute();
  std::cout << "read " << plan.bytes_read()
            << ", the image once; means: " << ts::mean(level0).compute() << ", "
            << ts::mean(ts::open<double, 2>("results.zarr/level3")).compute() << '\n';
}
