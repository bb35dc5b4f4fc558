// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A simulation that stores its steps
///
/// A rod that is hot in its middle cools down. Each ten steps the simulation appends its state
/// and a statistic to a `time_series`. Readers see each step as a whole. A program that was killed
/// goes on from the time of its checkpoint: `restart_from` drops the steps after it.
#include <algorithm>
#include <iostream>
#include <tessera/array/time_series.hpp>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  ts::ndarray<double, 1> heat = ts::exp(-ts::square(ts::linspace(-8, 8, 256))).compute();
  ts::time_series out("results.zarr");
  out.restart_from(0);  // from the beginning
  for (int step = 1; step <= 200; ++step) {
    /// One step of the heat equation: neighbours are slices, as in NumPy.
    const auto u = ts::from_memory(heat);
    const auto middle = u(ts::slice(1, -1));
    const auto rate = u(ts::slice(0, -2)) - 2 * middle + u(ts::slice(2, ts::none));
    ts::ndarray<double, 1> next = (middle + 0.25 * rate).compute();
    std::copy(next.span().begin(), next.span().end(), heat.span().begin() + 1);
    if (step % 10 != 0) continue;
    /// Variables are expressions: statistics are computed and stored in one pass over the state.
    const auto state = ts::from_memory(heat);
    out.append(0.25 * step, ts::variable("heat", state, {"x"}),
               ts::variable("greatest", ts::max(state)));
  }

  /// The heat stays, and its width grows as the square root of time: its variance is linear.
  const auto history = ts::open<double, 2>("results.zarr/heat");
  std::cout << "steps stored: " << history.shape()[0] << "\nheat of the first and of the last:\n"
            << ts::sum(history(ts::index({0, 19})), ts::axis<1>).compute() << '\n';
}
