// (x, dim<...>): requires a dimension that x has
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::label<"time", "latitude">(ts::zeros<double>({2, 3}));
#ifdef POSITIVE
  static_cast<void>(ts::sort(x, ts::dim<"time">));
#else
  static_cast<void>(ts::sort(x, ts::dim<"tiem">));
#endif
}
