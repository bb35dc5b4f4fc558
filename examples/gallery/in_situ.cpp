// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A simulation that stores its steps
///
/// A rod that is hot in its middle cools down. Each ten steps the simulation appends its state
/// and a statistic to stored arrays; readers see each append as a whole, and a program that is
/// killed appends no step twice.
#include <algorithm>
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

namespace {

/// Stores one step. The first makes the arrays, later ones make them longer.
void append_state(const ts::ndarray<double, 1>& heat, bool is_first) {
  const auto state = ts::from_memory(heat)(ts::newaxis, ts::whole);
  const auto greatest = ts::max(state, ts::axis<1>);
  if (is_first) {
    ts::store(ts::stored(state, "results.zarr/heat", {.chunks = {5, 256}}),
              ts::stored(greatest, "results.zarr/greatest", {.chunks = {5}}));
  } else {
    ts::plan(ts::appended(state, "results.zarr/heat", ts::axis<0>),
             ts::appended(greatest, "results.zarr/greatest", ts::axis<0>))
        .execute();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  ts::ndarray<double, 1> heat = ts::exp(-ts::square(ts::linspace(-8, 8, 256))).compute();
  for (int output = 0; output < 20; ++output) {
    for (int step = 0; step < 10; ++step) {
      /// One step of the heat equation: neighbours are slices, as in NumPy.
      const auto u = ts::from_memory(heat);
      const auto middle = u(ts::slice(1, -1));
      const auto rate = u(ts::slice(0, -2)) - 2 * middle + u(ts::slice(2, ts::none));
      ts::ndarray<double, 1> next = (middle + 0.25 * rate).compute();
      std::copy(next.span().begin(), next.span().end(), heat.span().begin() + 1);
    }
    append_state(heat, output == 0);
  }

  /// The heat stays, and its width grows as the square root of time: its variance is linear.
  const auto history = ts::open<double, 2>("results.zarr/heat");
  std::cout << "steps stored: " << history.shape()[0] << "\nheat of the first and of the last:\n"
            << ts::sum(history(ts::index({0, 19})), ts::axis<1>).compute() << '\n';
}
