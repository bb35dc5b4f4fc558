// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Cells in a stack of images
///
/// A stack of microscope images: bright cells on an uneven background. The background is a wide
/// Gaussian of the image; pixels that are brighter by a threshold are cells. Blocks see the
/// pixels around them, so that chunks leave no seams.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto slice = ts::arange(8.0, {.chunks = {4}})(ts::whole, ts::newaxis, ts::newaxis);
  const auto y = ts::arange(96.0, {.chunks = {48}})(ts::whole, ts::newaxis);
  const auto x = ts::arange(128.0, {.chunks = {64}});
  const auto cells = ts::square(ts::sin(y / 5)) * ts::square(ts::sin(x / 7 + slice / 4));
  const auto uneven = 50 + 0.4 * x + 0.2 * y;
  ts::store(uneven + 60 * ts::pow(cells, 4.0), "data.zarr/stack", {.chunks = {4, 48, 64}});

  const auto stack = ts::open<double, 3>("data.zarr/stack");
  const auto background = ts::gaussian_filter(stack, 8.0, ts::axis<1, 2>);
  const auto flat = stack - background;
  const auto is_cell = flat > 15.0;
  const auto plan = ts::plan(ts::stored(ts::max(flat, ts::axis<0>), "results.zarr/projection"),
                             ts::stored(ts::mean(is_cell, ts::axis<1, 2>), "results.zarr/covered"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [projection, covered] = plan.compute();
  std::cout << "part of each slice that is covered by cells:\n" << covered.compute() << '\n';
}
