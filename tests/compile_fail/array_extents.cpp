// tessera::array<T, N>(m, n): requires a function that fills it: zeros<T>({m, n}), full<T>({m,
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::array<double, 2> y = ts::zeros<double>({3, 3});
#else
  ts::array<double, 2> y(3, 3);
#endif
  return static_cast<int>(x.size() + y.size());
}
