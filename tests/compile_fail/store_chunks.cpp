// tessera::store(x, path, options): requires options by their names
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::store(x, "x.zarr", {.chunks = {2, 2}});
#else
  ts::store(x, "x.zarr", {2, 2});
#endif
  return static_cast<int>(x.size() + y.size());
}
