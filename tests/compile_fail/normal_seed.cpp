// tessera::random::normal<T>(shape): requires names of numbers: normal({m, n}, {.seed = 1,
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::random::normal({3, 3}, {.seed = 2}));
  static_cast<void>(ts::random::exponential({3}, {.seed = 2, .scale = 1}));
#else
  static_cast<void>(ts::random::normal({3, 3}, 2));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
