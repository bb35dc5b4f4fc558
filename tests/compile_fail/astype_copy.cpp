// tessera::astype<T>(x): requires nothing behind x: lazy arrays share elements
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(ts::astype<float>(x));
#else
  static_cast<void>(ts::astype<float>(x, true));
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
