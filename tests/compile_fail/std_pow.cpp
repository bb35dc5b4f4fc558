// tessera: a lazy array is no number: mean(x).compute() is one
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::pow(x, 2);
  static_cast<void>(z);
#else
  auto z = std::pow(x, 2);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
