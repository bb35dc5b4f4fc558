// tessera::take_along_axis(x, indices, axis<k>): requires integers of the rank of x, and
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::take_along_axis(x, ts::ndarray<int, 2>({1, 3}), ts::axis<0>));
#else
  static_cast<void>(ts::take_along_axis(x, ts::ndarray<int, 1>({3}), ts::axis<0>));
#endif
  return static_cast<int>(x.size());
}
