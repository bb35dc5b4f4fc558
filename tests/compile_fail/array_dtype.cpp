// tessera::array<T, N>(expression): requires an expression of dtype T and rank N
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  const ts::array<float, 2> x = ts::astype<float>(a2 + 1);
#else
  const ts::array<float, 2> x = a2 + 1;
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}
