// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A function of your own over neighbours
///
/// The game of life: a function that sees a block of cells and one cell around it. `map_overlap`
/// brings the halo, whatever the chunks are.
#include <cstdint>
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

namespace {

/// One step: a cell lives with three neighbours, or with two if it is alive.
struct life {
  void operator()(ts::block_view<const std::uint8_t, 2> x,
                  ts::block_view<std::uint8_t, 2> y) const {
    for (ts::index_t i = 0; i < y.shape()[0]; ++i) {
      for (ts::index_t j = 0; j < y.shape()[1]; ++j) {
        int around = -x(i + 1, j + 1);
        for (int k = 0; k < 9; ++k) around += x(i + k / 3, j + k % 3);
        y(i, j) = around == 3 || (around == 2 && x(i + 1, j + 1) == 1) ? 1 : 0;
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto row = ts::arange<ts::index_t>(64, {.chunks = {32}})(ts::whole, ts::newaxis);
  const auto column = ts::arange<ts::index_t>(64, {.chunks = {16}});
  const auto start = ts::astype<std::uint8_t>((row * row + 3 * column + row * column) % 7 < 2);
  ts::store(start, "data.zarr/cells");

  ts::array<std::uint8_t, 2> cells = ts::open<std::uint8_t, 2>("data.zarr/cells");
  for (int step = 0; step < 4; ++step) {
    cells = ts::map_overlap<std::uint8_t>(
        life{}, cells, {.depth = {{1, 1}, {1, 1}}, .beyond = ts::boundary::wrap});
  }
  const auto plan = ts::plan(ts::stored(cells, "results.zarr/cells"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  plan.execute();
  const auto alive = ts::open<std::uint8_t, 2>("results.zarr/cells");
  std::cout << "alive after four steps: " << ts::sum(alive).compute() << '\n';
}
