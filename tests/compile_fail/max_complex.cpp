// tessera::max(x): requires elements that have an order; complex numbers have none
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3});
  const auto z = ts::zeros<ts::complex128>({3});
#ifdef POSITIVE
  static_cast<void>(ts::max(ts::real(z)));
#else
  static_cast<void>(ts::max(z));
#endif
  return static_cast<int>(x.size() + z.size());
}
