// tessera: 200_kB is 200,000 bytes, 200_KiB is 204,800
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

using namespace tessera::literals;

int main() {
#ifdef POSITIVE
  const tessera::bytes size = 200_kB;
#else
  const tessera::bytes size = 200_KB;
#endif
  return static_cast<int>(size.count() % 2);
}
