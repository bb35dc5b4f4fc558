// tessera::sum(x, axis<...>): requires options without braces: sum(x, axis<0, 1>, keepdims)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::sum(x, ts::axis<0, 1>);
  static_cast<void>(z);
#else
  auto z = ts::sum(x, {0, 1});
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
