// tessera::sum(x, options...): requires each option to be axis<k>, keepdims
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::sum(x, ts::axis<0>, ts::keepdims);
  static_cast<void>(z);
#else
  auto z = ts::sum(x, ts::axis<0>, true);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
