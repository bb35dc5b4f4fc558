// tessera::zeros<T>(shape): requires a rank that the compiler knows
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  std::vector<ts::index_t> shape{4, 4};
  auto z = ts::zeros<double, 2>(shape);
  static_cast<void>(z);
#else
  std::vector<ts::index_t> shape{4, 4};
  auto z = ts::zeros<double>(shape);
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
