// tessera::gaussian_filter(x, sigma, axis<...>, boundary): requires axis<...> or a boundary
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::gaussian_filter(x, 2.0, ts::axis<0>);
  static_cast<void>(z);
#else
  auto z = ts::gaussian_filter(x, 2.0, 0);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
