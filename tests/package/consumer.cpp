// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <tessera/core/chunk_grid.hpp>

int main() {
  const tessera::chunk_grid grid({10, 7}, {4, 3});
  return grid.size() == 9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
