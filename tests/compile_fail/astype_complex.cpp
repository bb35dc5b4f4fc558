// tessera::astype<T>(x): requires a complex T where elements are complex
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3});
  const auto z = ts::zeros<ts::complex128>({3});
#ifdef POSITIVE
  static_cast<void>(ts::astype<ts::complex64>(z));
#else
  static_cast<void>(ts::astype<double>(z));
#endif
  return static_cast<int>(x.size() + z.size());
}
