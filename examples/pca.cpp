// SPDX-License-Identifier: Apache-2.0

/// \file
/// Principal components of a stored matrix that is larger than memory: `pca --help`.

#include "help.hpp"

#include <iostream>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

constexpr const char* usage = R"(usage: pca MATRIX COUNT RESULT

Stores the first COUNT principal components of the rows of MATRIX in RESULT/components, how far
each row lies along them in RESULT/scores, and the variance along them in RESULT/variance.

)";

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (asks_for_help(argc, argv) || argc != 4) {
    std::cout << usage << ts::runtime::help();
    return asks_for_help(argc, argv) ? 0 : 2;
  }
  const auto first = ts::slice(0, std::stol(argv[2]));
  const std::string result = argv[3];

  const auto x = ts::open<double, 2>(argv[1]);
  const auto [u, s, vh] = ts::svd(x - ts::mean(x, ts::axis<0>));
  const auto variance = ts::square(s) / static_cast<double>(x.shape()[0] - 1);
  ts::store(ts::stored(vh(first), result + "/components"),
            ts::stored((u * s)(ts::whole, first), result + "/scores"),
            ts::stored(variance(first), result + "/variance"));
}
