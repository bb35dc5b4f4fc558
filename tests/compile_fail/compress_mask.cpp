// tessera::compress(mask, x, axis<k>): requires a mask of bool of rank 1, and an axis in
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
  const auto i = ts::zeros<int>({3, 3});
  const std::vector<int> lengths{0, 2};
#ifdef POSITIVE
  static_cast<void>(ts::compress(i(0) > 0, x, ts::axis<0>));
#else
  static_cast<void>(ts::compress(lengths, x, ts::axis<0>));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(i.size()) + static_cast<int>(lengths.size());
}
