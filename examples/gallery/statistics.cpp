// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Describing measurements in one pass
///
/// Mean, deviation, skewness, extremes and correlations of six instruments with a hundred thousand
/// readings each. All of them read the data once, in tasks of bounded memory; medians need a second
/// pass.
#include <iostream>
#include <tessera/tessera.hpp>
#include <tuple>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto instrument = ts::arange(6.0)(ts::whole, ts::newaxis);
  const auto noise = ts::random::normal({6, 100'000}, {.chunks = {6, 10'000}, .seed = 1});
  const auto common = ts::random::normal({100'000}, {.chunks = {10'000}, .seed = 2});
  ts::store(10 * instrument + common * instrument / 2.0 + noise, "data.zarr/readings");

  const auto x = ts::open<double, 2>("data.zarr/readings");
  const auto along = ts::axis<1>;
  const auto plan = ts::plan(ts::stored(ts::mean(x, along), "results.zarr/mean"),
                             ts::stored(ts::stddev(x, along), "results.zarr/stddev"),
                             ts::stored(ts::skew(x, along), "results.zarr/skew"),
                             ts::stored(ts::max(x, along), "results.zarr/max"),
                             ts::stored(ts::median(x, along), "results.zarr/median"),
                             ts::stored(ts::corrcoef(x), "results.zarr/correlation"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto results = plan.compute();
  std::cout << "means:\n"
            << std::get<0>(results).compute() << '\n'
            << "correlations:\n"
            << std::get<5>(results).compute() << '\n';
}
