// tessera: this function takes lazy arrays; asarray(m) is one of the ndarray m
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto m = x.compute();
  static_cast<void>(ts::mean(ts::asarray(m)));
#else
  auto m = x.compute();
  static_cast<void>(ts::mean(m));
#endif
  return static_cast<int>(x.size() + y.size());
}
