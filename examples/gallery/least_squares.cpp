// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A fit to a tall matrix
///
/// A polynomial of degree three, fitted to a hundred thousand points. The matrix is tall: it is
/// factorised by blocks of rows, and read once.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto t = ts::linspace(-1, 1, 100'000, {.chunks = {10'000}});
  const auto noise = ts::random::normal({100'000}, {.chunks = {10'000}, .seed = 3, .stddev = 0.1});
  ts::store(1 + 2 * t - 3 * ts::pow(t, 3.0) + noise, "data.zarr/y");

  const auto powers = ts::arange(4.0);
  const auto a = ts::rechunk(ts::pow(t(ts::whole, ts::newaxis), powers), {10'000, 4});
  const auto y = ts::open<double, 1>("data.zarr/y");
  const auto fit = ts::lstsq(a, y);
  const auto plan = ts::plan(ts::stored(fit.x, "results.zarr/coefficients"),
                             ts::stored(fit.singular_values, "results.zarr/singular_values"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [coefficients, values] = plan.compute();
  std::cout << "the true coefficients are 1, 2, 0, -3; fitted:\n" << coefficients.compute() << '\n';
}
