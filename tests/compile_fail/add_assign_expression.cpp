// tessera: x += y: requires x to be a tessera::array<T, N>
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::array<double, 2> r = x + y;
  r += 1;
#else
  auto r = x + y;
  r += 1;
#endif
  return static_cast<int>(x.size() + y.size());
}
