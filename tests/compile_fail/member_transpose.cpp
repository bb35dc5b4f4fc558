// tessera: x.transpose(): requires the function: permute_dims(x, axis<1, 0>), or x.T()
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

int main() {
  const std::vector<double> v{1, 2, 3, 4};
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  static_cast<void>(x.T());
#else
  static_cast<void>(x.transpose());
#endif
  return static_cast<int>(x.size()) + static_cast<int>(v.size());
}
