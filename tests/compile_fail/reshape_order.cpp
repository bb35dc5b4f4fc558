// tessera::reshape(x, shape): requires no order: elements are in row-major order, x.T() has the
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::reshape(x, {16}));
#else
  static_cast<void>(ts::reshape(x, {16}, "C"));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
