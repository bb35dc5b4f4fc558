// tessera::var(x, axis<...>): requires options without braces: var(x, axis<0, 1>,
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::var(x, ts::correction(1)));
#else
  static_cast<void>(ts::var(x, {.correction = 1}));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
