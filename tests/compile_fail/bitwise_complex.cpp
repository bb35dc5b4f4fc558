// tessera::bitwise_and(a, b), a & b: requires elements that are bool or integers
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3});
  const auto z = ts::zeros<ts::complex128>({3});
#ifdef POSITIVE
  static_cast<void>((z == 1) & (z == 2));
#else
  static_cast<void>(z & z);
#endif
  return static_cast<int>(x.size() + z.size());
}
