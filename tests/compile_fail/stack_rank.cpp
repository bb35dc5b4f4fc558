// tessera::stack({xs...}, axis<...>): requires arrays of equal rank
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::stack(a2, a2));
#else
  static_cast<void>(ts::stack(a2, a3));
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}
