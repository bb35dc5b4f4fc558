// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Axes by their names
///
/// Arrays with named dimensions are brought together by names, whatever the order of their axes; a
/// name that an array has not does not compile.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto time = ts::arange(48.0)(ts::whole, ts::newaxis, ts::newaxis);
  const auto latitude = ts::linspace(-80, 80, 17);
  const auto longitude = ts::arange(0.0, 360.0, 20.0);
  ts::store(20 * ts::cos(ts::deg2rad(latitude))(ts::whole, ts::newaxis) + ts::sin(time / 4) +
                0.01 * longitude,
            "data.zarr/t", {.dimension_names = {"time", "latitude", "longitude"}});
  ts::store(latitude, "data.zarr/latitude", {.dimension_names = {"latitude"}});

  const auto t = ts::open<double, ts::dims<"time", "latitude", "longitude">>("data.zarr/t");
  const auto degrees = ts::open<double, ts::dims<"latitude">>("data.zarr/latitude");
  const auto area = ts::cos(ts::deg2rad(degrees));
  const auto anomaly = t - ts::mean(t, ts::dim<"time">);
  const auto north = t(ts::dim<"latitude">(ts::between(degrees, 30, 60)));
  const auto plan = ts::plan(
      ts::stored(ts::average(t, area, ts::dim<"latitude", "longitude">), "results.zarr/mean"),
      ts::stored(ts::mean(anomaly, ts::dim<"longitude">), "results.zarr/anomaly"),
      ts::stored(ts::mean(north, ts::dim<"time", "longitude">), "results.zarr/north",
                 {.dimension_names = {"north"}}));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  plan.execute();
  std::cout << "from 30 N to 60 N:\n"
            << ts::open<double, 1>("results.zarr/north").compute() << '\n';
}
