// tessera: x(...) = ...: elements of a lazy array cannot be assigned
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto m = x.compute();
  m(ts::whole, 0) = m(ts::whole, 1);
#else
  x(ts::whole, 0) = x(ts::whole, 1);
#endif
  return static_cast<int>(x.size() + y.size());
}
