// tessera::power(a, b): requires the name in the Array API standard: pow(a, b)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::pow(x, 2);
  static_cast<void>(z);
#else
  auto z = ts::power(x, 2);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
