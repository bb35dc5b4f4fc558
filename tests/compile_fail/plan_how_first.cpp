// tessera::plan(x, ..., how): requires a run_with behind what is planned
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
  const ts::run_with settings{.executor = ts::executors::serial()};
#ifdef POSITIVE
  (void)ts::plan(x, y, settings).compute();
#else
  (void)ts::plan(settings, x, y).compute();
#endif
  return 0;
}
