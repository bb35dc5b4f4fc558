// tessera::take(x, indices, axis<k>): requires indices that are integers, in a list
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
  const std::vector<int> lengths{0, 2};
  const std::vector<double> edges{0, 1, 2};
#ifdef POSITIVE
  static_cast<void>(ts::take(x, lengths, ts::axis<0>));
#else
  static_cast<void>(ts::take(x, edges, ts::axis<0>));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(lengths.size()) +
         static_cast<int>(edges.size());
}
