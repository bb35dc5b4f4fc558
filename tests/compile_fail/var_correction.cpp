// tessera::var(x, options...): requires each option to be axis<k>, keepdims
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::var(x, ts::correction(1));
  static_cast<void>(z);
#else
  auto z = ts::var(x, 1);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
