// tessera::open<T, N>(path): requires a dtype
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::open<double, 2>("x.zarr");
  static_cast<void>(z);
#else
  auto z = ts::open<std::string, 2>("x.zarr");
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
