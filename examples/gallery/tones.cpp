// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Tones in a signal
///
/// Three tones in noise, found by a Fourier transform of windows of 1,024 samples: the mean power
/// of all windows has a peak at each tone.
#include <iostream>
#include <numbers>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  constexpr double tau = 2 * std::numbers::pi;
  const auto time = ts::arange(0.0, 65'536.0, 1.0, {.chunks = {8'192}}) / 1'024.0;
  const auto noise = ts::random::normal({65'536}, {.chunks = {8'192}, .seed = 4, .stddev = 0.5});
  const auto tones =
      ts::sin(tau * 50 * time) + 0.7 * ts::sin(tau * 120 * time) + 0.5 * ts::sin(tau * 300 * time);
  ts::store(tones + noise, "data.zarr/signal");

  /// A Hann window keeps a tone from leaking into its neighbours.
  const auto signal = ts::open<double, 1>("data.zarr/signal");
  const auto windows = ts::reshape(signal, {64, 1'024});
  const auto hann = ts::square(ts::sin(ts::arange(1'024.0) * (std::numbers::pi / 1'024)));
  const auto waves = ts::rfft(windows * hann, ts::axis<1>);
  const auto power = ts::mean(ts::square(ts::abs(waves)), ts::axis<0>);
  const auto plan = ts::plan(ts::stored(power, "results.zarr/power"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto spectrum = plan.compute();
  const auto strongest = ts::argtopk(ts::rechunk(spectrum, {513}), 9, ts::axis<0>);
  std::cout << "the nine strongest frequencies, in hertz:\n"
            << ts::sort(strongest).compute() << '\n';
}
