// tessera::full<T>(shape, value): requires the value behind the shape: full<T>({m, n}, value)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::full<double>({3, 3}, 1));
#else
  static_cast<void>(ts::full<double>({3, 3}));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
