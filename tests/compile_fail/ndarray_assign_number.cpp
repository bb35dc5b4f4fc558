// tessera::ndarray: m.view().fill(value) sets all elements
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto m = x.compute();
  m.view().fill(0);
#else
  auto m = x.compute();
  m = 0;
#endif
  return static_cast<int>(x.size() + y.size());
}
