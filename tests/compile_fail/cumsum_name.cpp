// tessera::cumsum(x): requires the name in the Array API standard: cumulative_sum(x, axis<0>)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::cumulative_sum(x, ts::axis<0>);
  static_cast<void>(z);
#else
  auto z = ts::cumsum(x, 0);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
