// tessera: x.mean(...): requires the function: mean(x, axis<0>)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::mean(x, ts::axis<0>).compute();
  static_cast<void>(z);
#else
  auto z = x.mean(0).compute();
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
