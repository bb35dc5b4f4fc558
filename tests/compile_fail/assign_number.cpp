// tessera::array: x = full_like(x, value) is a lazy array of one value
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  x = ts::full_like(x, 0);
#else
  x = 0;
#endif
  return static_cast<int>(x.size() + y.size());
}
