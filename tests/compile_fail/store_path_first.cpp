// tessera::store(x, path): requires the array before the path
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::store(x, "x.zarr", {.chunks = {2, 2}});
#else
  ts::store("x.zarr", x, {.chunks = {2, 2}});
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
