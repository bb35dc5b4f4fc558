// tessera::outer(a, b): requires arrays: outer(a, asarray(v)) of a vector v
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::outer(x, ts::asarray(v)));
#else
  static_cast<void>(ts::outer(x, v));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
