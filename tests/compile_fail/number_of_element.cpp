// tessera: a lazy array is no number: mean(x).compute() is one
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  double q = x(0, 0).compute();
  static_cast<void>(q);
#else
  double q = x(0, 0);
  static_cast<void>(q);
#endif
  return static_cast<int>(x.size() + y.size());
}
