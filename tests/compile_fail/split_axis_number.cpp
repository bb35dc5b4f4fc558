// tessera::split(x, sections, axis<k>): requires the axis as axis<k>, as in axis<0>
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::split(x, 2, ts::axis<0>);
  static_cast<void>(z);
#else
  auto z = ts::split(x, 2, 0);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
