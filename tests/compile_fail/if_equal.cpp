// tessera: a lazy array is neither true nor false: all(a == b).compute() is
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  if (ts::all(x == y).compute()) return 1;
#else
  if (x == y) return 1;
#endif
  return static_cast<int>(x.size() + y.size());
}
