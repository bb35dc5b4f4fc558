// tessera::array: there is no empty array
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::array<double, 2> z = y;
  z = x;
#else
  ts::array<double, 2> z;
  z = x;
#endif
  return static_cast<int>(x.size() + y.size());
}
