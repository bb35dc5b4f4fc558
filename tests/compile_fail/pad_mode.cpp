// tessera: it is boundary, as in boundary::edge
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
#ifdef POSITIVE
  auto padded = ts::pad(x, 1, ts::boundary::edge);
#else
  auto padded = ts::pad(x, 1, ts::pad_mode::edge);
#endif
  return static_cast<int>(padded.size());
}
