// tessera: x.at(lists...): requires a list of integers for each axis of x
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
  const std::vector<int> lengths{0, 2};
#ifdef POSITIVE
  static_cast<void>(x.at(lengths, lengths));
#else
  static_cast<void>(x.at(lengths));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(lengths.size());
}
