// tessera::transpose(x): requires no axes; permute_dims(x, axis<1, 0>) takes them
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::permute_dims(x, ts::axis<1, 0>);
  static_cast<void>(z);
#else
  auto z = ts::transpose(x, 1, 0);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
