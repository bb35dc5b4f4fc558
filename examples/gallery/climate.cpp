// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Climatology and warming of a climate
///
/// Ten years of monthly temperatures on a grid. The climatology is the mean of each month of the
/// year, the anomaly is the difference from it, and the warming is the slope of the anomaly at
/// each place.
#include <iostream>
#include <numbers>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  /// The data: a season that grows with latitude, and a warming that is faster in the north.
  const auto month = ts::arange<double>(120.0)(ts::whole, ts::newaxis, ts::newaxis);
  const auto latitude = ts::deg2rad(ts::linspace(-85, 85, 18))(ts::whole, ts::newaxis);
  const auto east = ts::deg2rad(ts::arange(0.0, 360.0, 10.0));
  const auto season = 12 * ts::sin(latitude) * ts::cos((month - 6) * (std::numbers::pi / 6));
  const auto warming = 0.002 * (1 + ts::sin(latitude)) * month;
  const auto place = 30 * ts::cos(latitude) - 5 + 2 * ts::cos(2 * east);
  ts::store(place + season + warming, "data.zarr/t", {.chunks = {24, 18, 36}});
  const std::string unit = "days since 2000-01-01";
  const std::string calendar = "360_day";
  ts::store(ts::arange(0.0, 3600.0, 30.0), "data.zarr/time",
            {.attributes = {{"units", unit}, {"calendar", calendar}}});

  /// Groups are the months of the time axis, whatever its calendar.
  const auto t = ts::open<double, 3>("data.zarr/t");
  const ts::grouping months = ts::months(ts::open_times("data.zarr/time"));
  const auto climatology = ts::groupby_reduce(t, months, ts::op::mean{}, ts::axis<0>);
  const auto anomaly = t - ts::expand_groups(climatology, months, ts::axis<0>);

  /// The slope of a line by least squares, in degrees for a month.
  const auto x = month - 59.5;
  const auto slope = ts::sum(x * anomaly, ts::axis<0>) / ts::sum(x * x);
  const auto plan = ts::plan(ts::stored(climatology, "results.zarr/climatology"),
                             ts::stored(ts::mean(anomaly, ts::axis<1, 2>), "results.zarr/anomaly"),
                             ts::stored(120 * slope, "results.zarr/warming"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [by_month, mean, warmed] = plan.compute();
  std::cout << "warmed in ten years, from 85 S to 85 N:\n"
            << warmed(ts::whole, 0).compute() << '\n';
}
