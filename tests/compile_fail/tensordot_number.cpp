// tessera::tensordot(a, b): requires the number of axes in angle brackets
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::tensordot<1>(x, y);
  static_cast<void>(z);
#else
  auto z = ts::tensordot(x, y, 1);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
