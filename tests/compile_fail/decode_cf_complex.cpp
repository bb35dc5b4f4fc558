// tessera::decode_cf(x): requires elements that are real numbers, not bool or complex
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::zeros<double>({3});
  const auto z = ts::zeros<ts::complex128>({3});
#ifdef POSITIVE
  static_cast<void>(ts::decode_cf(x, ts::cf_packing{}));
#else
  static_cast<void>(ts::decode_cf(z, ts::cf_packing{}));
#endif
  return static_cast<int>(x.size() + z.size());
}
