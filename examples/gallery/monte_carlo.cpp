// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A price by Monte Carlo
///
/// The price of a call option: the mean pay-off of four million random prices, none of which is
/// stored. The formula of Black and Scholes gives 10.4506.
#include <cmath>
#include <iostream>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto z = ts::random::normal({4'000'000}, {.chunks = {250'000}, .seed = 17});
  const auto price = 100 * ts::exp(0.05 - 0.02 + 0.2 * z);
  const auto payoff = std::exp(-0.05) * ts::maximum(price - 100.0, 0.0);
  const auto plan = ts::plan(ts::mean(payoff), ts::stddev(payoff));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [mean, deviation] = plan.compute();
  const double error = deviation / 2'000;  // of a mean of 4,000,000
  std::cout << "price " << mean << " +- " << error << '\n';
  ts::store(ts::asarray(std::vector{double{mean}, error}), "results.zarr/price");
}
