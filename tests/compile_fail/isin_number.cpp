// tessera::isin(x, values): requires values in a lazy array, list, span, std::vector or
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::isin(x, std::vector{3}));
#else
  static_cast<void>(ts::isin(x, 3));
#endif
  return static_cast<int>(x.size());
}
