// SPDX-License-Identifier: Apache-2.0

/// \file
/// Dimensions by their names, and coordinates: `names --help`.

#include "help.hpp"

#include <iostream>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

constexpr const char* usage = R"(usage: names GROUP NAME RESULT

Of the array NAME (time, latitude, longitude) of the Zarr group GROUP, stores the mean between 30
and 50 degrees north, weighted by area, in RESULT/mean, and the anomaly near 270 degrees east from
the mean of all times in RESULT/anomaly, each with the coordinates of its axes.

)";

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (asks_for_help(argc, argv) || argc != 4) {
    std::cout << usage << ts::runtime::help();
    return asks_for_help(argc, argv) ? 0 : 2;
  }
  const std::string group = argv[1];
  const std::string result = argv[3];
  const auto x = ts::open<float, ts::dims<"time", "latitude", "longitude">>(group + "/" + argv[2]);
  const auto latitudes = ts::open<float, ts::dims<"latitude">>(group + "/latitude");
  const auto longitudes = ts::open<float, ts::dims<"longitude">>(group + "/longitude");

  const auto band = ts::dim<"latitude">(ts::between(latitudes, 30, 50));
  const auto area = ts::cos(ts::deg2rad(latitudes(band)));
  const auto mean = ts::average(x(band), area, ts::dim<"latitude", "longitude">);

  const auto section = x(ts::dim<"longitude">(ts::nearest(longitudes, 270)));
  const auto anomaly = section - ts::mean(section, ts::dim<"time">);

  ts::store(ts::stored(mean, result + "/mean", {.coordinates = group}),
            ts::stored(anomaly, result + "/anomaly", {.coordinates = group}));
}
