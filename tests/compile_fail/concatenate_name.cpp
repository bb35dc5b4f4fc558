// tessera::concatenate(a, b): requires the name in the Array API standard: concat(a, b, axis<0>)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::concat(x, y, ts::axis<0>);
  static_cast<void>(z);
#else
  auto z = ts::concatenate({x, y}, 0);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
