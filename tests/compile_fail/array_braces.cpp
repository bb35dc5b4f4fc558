// tessera::array({1.0, 2.0}): requires the function: asarray({1.0, 2.0})
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
#ifdef POSITIVE
  auto x = ts::asarray({1.0, 2.0});
#else
  auto x = ts::array({1.0, 2.0});
#endif
  return static_cast<int>(x.size());
}
