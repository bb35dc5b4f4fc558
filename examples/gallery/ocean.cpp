// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Depth of the mixed layer of an ocean
///
/// Profiles of temperature, with land as NaN. The mixed layer ends at the first depth that is half
/// a degree colder than the surface: the first place at which a comparison is true.
#include <cmath>
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto depth =
      ts::arange(0.0, 200.0, 5.0, {.chunks = {20}})(ts::whole, ts::newaxis, ts::newaxis);
  const auto latitude = ts::linspace(-60, 60, 25)(ts::whole, ts::newaxis);
  const auto longitude = ts::arange(0.0, 360.0, 10.0);
  const auto surface = 28 * ts::cos(ts::deg2rad(latitude));
  const auto mixed = 40 + ts::abs(latitude);
  const auto water = surface - 10 * (1 - ts::exp(-ts::square(depth / mixed)));
  const auto is_land = longitude > 300 && longitude < 340 && ts::abs(latitude) < 30;
  ts::store(ts::where(is_land, std::nan(""), water), "data.zarr/temperature",
            {.chunks = {20, 25, 18}});

  /// Each profile is compared with its own surface; land has no depth.
  const auto t = ts::open<double, 3>("data.zarr/temperature");
  const auto is_below = t < t(0) - 0.5;
  const auto layer = ts::argmax(is_below, ts::axis<0>);
  const auto depths = ts::where(ts::isnan(t(0)), std::nan(""), 5.0 * ts::astype<double>(layer));
  const auto plan =
      ts::plan(ts::stored(depths, "results.zarr/mixed_layer"),
               ts::stored(ts::nanmean(depths, ts::axis<1>), "results.zarr/zonal_mean"),
               ts::stored(ts::nanmean(t, ts::axis<1, 2>), "results.zarr/profile"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [map, zonal, profile] = plan.compute();
  std::cout << "mixed layer from 60 S to 60 N, m:\n" << zonal.compute() << '\n';
}
