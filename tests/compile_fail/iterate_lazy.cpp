// tessera: for (... : x): a lazy array has no elements to iterate over
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
#ifdef POSITIVE
  for (auto row : x.compute()) static_cast<void>(row);
#else
  for (auto row : x) static_cast<void>(row);
#endif
  return static_cast<int>(x.size() + y.size());
}
