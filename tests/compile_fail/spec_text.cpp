// tessera::bytes: say the unit: 500_MB, or bytes{500}
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  const ts::spec spec{.allowed_memory = ts::bytes::parse("200MB")};
  static_cast<void>(spec);
#else
  const ts::spec spec{.allowed_memory = "200MB"};
  static_cast<void>(spec);
#endif
  return static_cast<int>(x.size() + y.size());
}
