// SPDX-License-Identifier: Apache-2.0

/// \file
/// Means of periods of time, with their time axis: `resample --help`.

#include "help.hpp"

#include <iostream>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

constexpr const char* usage = R"(usage: resample GROUP NAME YEARS RESULT

Stores the means of so many years each of the array NAME (time, latitude, longitude) of the Zarr
group GROUP in RESULT/NAME, and when they begin in RESULT/time.

)";

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (asks_for_help(argc, argv) || argc != 5) {
    std::cout << usage << ts::runtime::help();
    return asks_for_help(argc, argv) ? 0 : 2;
  }
  const std::string group = argv[1];
  const std::string result = argv[4];

  const ts::time_axis time = ts::open_times(group + "/time");
  const ts::resampling periods = ts::resample(time, ts::period::year, std::stoi(argv[3]));
  const std::string calendar(ts::name_of(time.calendar()));
  const std::string units = "days since 1970-01-01";
  ts::store(
      ts::encode_times(periods.starts, units, calendar), result + "/time",
      {.attributes = {{"units", units}, {"calendar", calendar}}, .dimension_names = {"time"}});
  const auto x = ts::decode_cf(ts::open<float, 3>(group + "/" + argv[2]));
  ts::store(ts::groupby_reduce(x, periods, ts::op::mean{}, ts::axis<0>), result + "/" + argv[2]);
}
