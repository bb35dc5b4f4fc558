// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Risk of a portfolio
///
/// Daily prices of eight shares over ten years: returns, their covariance, the volatility of
/// windows of 21 days, and the deepest fall from a peak. The last two are scans, in one pass over
/// the days.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto share = ts::arange(8.0);
  const auto noise = ts::random::normal({2'520, 8}, {.chunks = {504, 8}, .seed = 7});
  const auto market = ts::random::normal({2'520, 1}, {.chunks = {504, 1}, .seed = 8});
  const auto moves = 0.0003 + 0.01 * (noise + (share / 4.0) * market);
  ts::store(100 * ts::exp(ts::cumulative_sum(moves, ts::axis<0>)), "data.zarr/prices");

  const auto prices = ts::open<double, 2>("data.zarr/prices");
  const auto returns = ts::diff(ts::log(prices), ts::axis<0>);
  const auto covariance = 252.0 * ts::cov(ts::permute_dims(returns, ts::axis<1, 0>));
  const auto volatility = ts::rolling_stddev(returns, 21, ts::axis<0>);
  const auto drawdown =
      ts::min(prices / ts::cumulative_max(prices, ts::axis<0>), ts::axis<0>) - 1.0;

  /// A portfolio of equal parts: the square root of w' C w.
  const auto risk = ts::sqrt(ts::sum(covariance) / 64.0);
  const auto plan = ts::plan(ts::stored(covariance, "results.zarr/covariance"),
                             ts::stored(volatility, "results.zarr/volatility"),
                             ts::stored(drawdown, "results.zarr/drawdown"), risk);
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [c, v, falls, portfolio] = plan.compute();
  std::cout << "yearly risk of equal parts: " << portfolio << "\ndeepest falls:\n"
            << falls.compute() << '\n';
}
