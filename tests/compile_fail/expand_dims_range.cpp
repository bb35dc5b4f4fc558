// tessera::expand_dims(x, axis<...>): requires every axis to be in [-rank, rank) of the result
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::expand_dims(a2, ts::axis<2>));
#else
  static_cast<void>(ts::expand_dims(a2, ts::axis<3>));
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}
