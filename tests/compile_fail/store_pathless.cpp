// tessera::store(x, path): requires a path
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::store(x, "x.zarr");
#else
  ts::store(x);
#endif
  return static_cast<int>(x.size() + y.size());
}
