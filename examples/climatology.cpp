// SPDX-License-Identifier: Apache-2.0

/// \file
/// The monthly climatology of a stored array, and the anomaly from it: `climatology --help`.

#include "help.hpp"

#include <iostream>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

constexpr const char* usage = R"(usage: climatology GROUP NAME RESULT

Stores the mean of each month of the year of the array NAME (time, latitude, longitude) of the Zarr
group GROUP in RESULT/climatology, and what differs from it in RESULT/anomaly.

)";

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (asks_for_help(argc, argv) || argc != 4) {
    std::cout << usage << ts::runtime::help();
    return asks_for_help(argc, argv) ? 0 : 2;
  }
  const std::string group = argv[1];
  const std::string result = argv[3];

  const auto x = ts::decode_cf(ts::open<float, 3>(group + "/" + argv[2]));
  const ts::grouping months = ts::months(ts::open_times(group + "/time"));
  const auto climatology = ts::groupby_reduce(x, months, ts::op::mean{}, ts::axis<0>);
  const auto anomaly = x - ts::expand_groups(climatology, months, ts::axis<0>);
  ts::store(ts::stored(climatology, result + "/climatology"),
            ts::stored(anomaly, result + "/anomaly"));
}
