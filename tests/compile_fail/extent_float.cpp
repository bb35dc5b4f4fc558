// tessera: {m, n, ...}: requires integers between the braces
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::zeros<double>({4, 4});
  static_cast<void>(z);
#else
  auto z = ts::zeros<double>({4.0, 4.0});
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
