// tessera::matmul(a, b): requires two arrays of rank 1 or more
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::matmul(a3, a1));
#else
  static_cast<void>(ts::matmul(a2, ts::sum(a1)));
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}
