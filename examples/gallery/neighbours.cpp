// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Nearest neighbours by a matrix product
///
/// For each of 200 queries the three nearest of 2,000 points in 16 dimensions. The squares of all
/// distances are a matrix product and two vectors; a block of it lives while its least elements are
/// sought, and the whole matrix never exists.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  ts::store(ts::random::normal({2'000, 16}, {.chunks = {500, 16}, .seed = 9}), "data.zarr/points");
  ts::store(ts::random::normal({200, 16}, {.chunks = {100, 16}, .seed = 10}), "data.zarr/queries");

  const auto points = ts::open<double, 2>("data.zarr/points");
  const auto queries = ts::open<double, 2>("data.zarr/queries");
  const auto lengths = ts::sum(ts::square(points), ts::axis<1>);
  const auto norms = ts::sum(ts::square(queries), ts::axis<1>, ts::keepdims);
  const auto squares = norms + lengths - 2 * ts::matmul(queries, ts::matrix_transpose(points));

  /// `argtopk` with -3 has the positions of the three least, the least first.
  const auto nearest = ts::argtopk(squares, -3, ts::axis<1>);
  const auto plan = ts::plan(ts::stored(nearest, "results.zarr/nearest"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto positions = plan.compute();
  std::cout << "of the first five queries:\n" << positions(ts::slice(0, 5)).compute() << '\n';
}
