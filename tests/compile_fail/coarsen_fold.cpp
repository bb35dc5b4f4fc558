// tessera::coarsen(op, x, {n, ...}): requires the fold first: coarsen(op::mean{}, x, {4, 4})
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::coarsen(ts::op::mean{}, x, {1, 2});
  static_cast<void>(z);
#else
  auto z = ts::coarsen(x, {1, 2});
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
