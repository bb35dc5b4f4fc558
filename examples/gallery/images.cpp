// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Edges and tones of a photograph
///
/// A colour image as an array (row, column, colour): its luminance is a product with three weights,
/// its edges are the length of the gradient, its tones are a histogram.
#include <iostream>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto row = ts::linspace(-1, 1, 120, {.chunks = {60}})(ts::whole, ts::newaxis, ts::newaxis);
  const auto column = ts::linspace(-1, 1, 160, {.chunks = {80}})(ts::whole, ts::newaxis);
  const auto colour = ts::arange(3.0);
  const auto is_disc = ts::square(row) + ts::square(column) < 0.3;
  const auto sky = 120 + 60 * row + 20 * colour;
  const auto image = ts::where(is_disc, 250 - 40 * colour, sky);
  ts::store(ts::astype<std::uint8_t>(ts::round(image)), "data.zarr/image", {.chunks = {60, 80, 3}});

  const auto pixels = ts::astype<double>(ts::open<std::uint8_t, 3>("data.zarr/image"));
  const auto weights = ts::asarray(std::vector{0.2126, 0.7152, 0.0722});
  const auto luminance = ts::matmul(pixels, weights);
  const auto down = ts::gradient(luminance, ts::axis<0>);
  const auto right = ts::gradient(luminance, ts::axis<1>);
  const auto plan =
      ts::plan(ts::stored(luminance, "results.zarr/luminance"),
               ts::stored(ts::hypot(down, right), "results.zarr/edges"),
               ts::stored(ts::histogram(luminance, ts::bins{16, 0, 256}), "results.zarr/tones"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [grey, edges, tones] = plan.compute();
  std::cout << "pixels of 16 tones from black to white:\n" << tones.compute() << '\n';
}
