// tessera: x += y: requires x + y to have the dtype and rank of x
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto n = ts::ones<int>({4, 4});
  n += 5;
#else
  auto n = ts::ones<int>({4, 4});
  n += 0.5;
#endif
  return static_cast<int>(x.size() + y.size());
}
