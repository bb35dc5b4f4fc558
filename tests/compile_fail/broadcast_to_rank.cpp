// tessera::broadcast_to(x, shape): requires at least as many extents as x has axes
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::broadcast_to(a2, {4, 3, 3}));
#else
  static_cast<void>(ts::broadcast_to(a3, {3, 3}));
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}
