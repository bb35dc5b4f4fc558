// tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::reshape(x, {2, 8});
  static_cast<void>(z);
#else
  auto z = ts::reshape(x, 2, 8);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
