// tessera::store({a, path}, ...): requires stored(a, path) for each of several arrays
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<float>({4, 4});
#ifdef POSITIVE
  ts::store(ts::stored(x, "x.zarr", {.chunks = {2, 2}}), ts::stored(y, "y.zarr"));
#else
  ts::store({{x, "x.zarr", {.chunks = {2, 2}}}, {y, "y.zarr"}});
#endif
  return static_cast<int>(x.size() + y.size());
}
