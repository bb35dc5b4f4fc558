// tessera::ndarray<T, N>(expression): requires an expression of dtype T and rank N
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  ts::ndarray<float, 2> m = ts::astype<float>(x * 2);
#else
  ts::ndarray<float, 2> m = x * 2;
#endif
  return static_cast<int>(x.size() + y.size());
}
