// tessera::between(coordinates, low, high): requires real numbers along one axis
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::between(x(0), 1, 2));
#else
  static_cast<void>(ts::between(x, 1, 2));
#endif
  return static_cast<int>(x.size());
}
