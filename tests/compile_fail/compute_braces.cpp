// tessera::compute(x, y): requires the arrays without braces: compute(x, y)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::compute(x, x));
#else
  static_cast<void>(ts::compute({x, x}));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
