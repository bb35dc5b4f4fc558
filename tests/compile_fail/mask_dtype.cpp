// tessera: x(mask): requires a mask of dtype bool and of the rank of x
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
  const auto i = ts::zeros<int>({3, 3});
#ifdef POSITIVE
  static_cast<void>(x(i > 0));
#else
  static_cast<void>(x(i));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(i.size());
}
