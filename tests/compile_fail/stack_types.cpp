// tessera: concat({a, b}), stack({a, b}): requires arrays of one type in braces
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::stack(x, x * 2);
  static_cast<void>(z);
#else
  auto z = ts::stack({x, x * 2});
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
