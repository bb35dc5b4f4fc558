// with pass_switches, both come first: plan(passes, how, x, ...)
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto y = ts::ones<double>({4, 4});
  const ts::run_with settings{.executor = ts::executors::serial()};
#ifdef POSITIVE
  (void)ts::plan(ts::pass_switches{}, settings, x, y).compute();
#else
  (void)ts::plan(ts::pass_switches{}, x, y, settings).compute();
#endif
  return 0;
}
