// tessera: r = ...: the type of an expression says how it is computed
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::array<double, 2> r = x + y;
  r = r * 2;
#else
  auto r = x + y;
  r = r * 2;
#endif
  return static_cast<int>(x.size() + y.size());
}
