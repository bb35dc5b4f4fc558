// tessera: m(...) = a: requires an array of the dtype and rank of the part
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto m = x.compute();
  m(ts::whole, 0).fill(3);
#else
  auto m = x.compute();
  m(ts::whole, 0) = 3;
#endif
  return static_cast<int>(x.size() + y.size());
}
