// tessera: x.shape(): requires no axis: x.shape()[0] is the extent of axis 0
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = x.shape()[0];
  static_cast<void>(z);
#else
  auto z = x.shape(0);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
