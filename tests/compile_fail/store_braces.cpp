// tessera::store({a, b}, path): requires a path for each array
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::store(ts::stored(x, "x.zarr"), ts::stored(y, "y.zarr"));
#else
  ts::store({x, y}, "x.zarr");
#endif
  return static_cast<int>(x.size() + y.size());
}
