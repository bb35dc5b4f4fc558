// tessera::from_memory(values, shape): requires a pointer, or a span, std::vector or
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  std::vector<float> v(16);
  auto z = ts::from_memory(v, {4, 4});
  static_cast<void>(z);
#else
  std::vector<bool> v(16);
  auto z = ts::from_memory(v, {4, 4});
  static_cast<void>(z);
#endif
  return static_cast<int>(x.size() + y.size());
}
