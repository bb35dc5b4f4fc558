// tessera::convolve(x, weights, overlap): requires overlap::valid, same or full
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto z = ts::convolve(x(0), {1, 2}, ts::overlap::same);
  static_cast<void>(z);
#else
  auto z = ts::convolve(x(0), {1, 2}, "same");
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size());
}
