// tessera::ndarray({1.0, 2.0}): requires the type and the rank: ndarray<double, 1>::of({1.0,
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
#ifdef POSITIVE
  auto m = ts::ndarray<double, 1>::of({1.0, 2.0});
#else
  auto m = ts::ndarray({1.0, 2.0});
#endif
  return static_cast<int>(m.size());
}
