// tessera::map(f, xs...): requires f to take one element of each of xs
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  static_cast<void>(ts::map([](double x, double y) { return x + y; }, a2, a2));
#else
  static_cast<void>(ts::map([](double x) { return x; }, a2, a2));
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}
