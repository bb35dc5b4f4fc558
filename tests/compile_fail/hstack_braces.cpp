// tessera::hstack(a, b, ...): requires the arrays without braces: hstack(a, b)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::hstack(x, y);
  static_cast<void>(z);
#else
  auto z = ts::hstack({x, y});
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
