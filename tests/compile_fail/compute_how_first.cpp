// tessera::compute(x, ..., how): requires a run_with behind what is computed
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
  const ts::run_with settings{.executor = ts::executors::serial()};
#ifdef POSITIVE
  (void)ts::compute(ts::sum(x), ts::sum(y), settings);
#else
  (void)ts::compute(settings, ts::sum(x), ts::sum(y));
#endif
  return 0;
}
