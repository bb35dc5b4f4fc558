// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto x = ts::arange<double>(10.0, {.chunks = {4}});
  const double sum = ts::sum(x * x + 1.0).compute();
  return sum == 295.0 ? EXIT_SUCCESS : EXIT_FAILURE;  // 0 + 1 + 4 + ... + 81 + 10
}
