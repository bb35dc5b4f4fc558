// tessera::open<T, N>(path): requires the dtype and rank of the array
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::open_any("x.zarr");
  static_cast<void>(z);
#else
  auto z = ts::open("x.zarr");
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
