// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Gaps in a series
///
/// A sensor fails at times. Missing values are NaN: statistics leave them out, `ffill` repeats the
/// last value, and counts say how much was there.
#include <cmath>
#include <iostream>
#include <numbers>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto hour = ts::arange(8'760.0, {.chunks = {1'000}});
  const auto value = 15 + 10 * ts::sin(hour * (2 * std::numbers::pi / 8'760)) +
                     5 * ts::cos(hour * (std::numbers::pi / 12));
  const auto fails = ts::sin(hour * hour) > 0.8;
  ts::store(ts::where(fails, std::nan(""), value), "data.zarr/sensor");

  const auto x = ts::open<double, 1>("data.zarr/sensor");
  const auto is_there = !ts::isnan(x);
  const auto filled = ts::ffill(x);
  const auto days = ts::reshape(x(ts::slice(0, 8'760)), {365, 24});
  const auto plan = ts::plan(
      ts::nanmean(x), ts::nanstd(x), ts::sum(is_there), ts::stored(filled, "results.zarr/filled"),
      ts::stored(ts::nanmax(days, ts::axis<1>), "results.zarr/daily_maximum"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [mean, deviation, count, series, maxima] = plan.compute();
  std::cout << "values: " << count << " of 8760; mean " << mean << ", standard deviation "
            << deviation << '\n';
  ts::store(ts::asarray(std::vector<double>{mean, deviation, static_cast<double>(count)}),
            "results.zarr/summary");
}
