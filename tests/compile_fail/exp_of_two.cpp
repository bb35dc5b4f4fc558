// tessera::exp(x): requires one operand, the array x
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto y = ts::exp(x);
#else
  auto y = ts::exp(x, x);
#endif
  return static_cast<int>(y.size());
}
