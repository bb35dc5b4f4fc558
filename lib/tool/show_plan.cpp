// SPDX-License-Identifier: Apache-2.0
#include "plan/api/saved_plan.hpp"
#include "tool/commands.hpp"

#include <iostream>

namespace tessera::tool {

int show_plan(const plan_options& options) {
  const saved_plan plan = summary_of_saved(options.path);
  if (options.is_json) {
    std::cout << plan.json << '\n';
  } else {
    std::cout << plan.table << "\ncost: " << plan.cost << '\n';
  }
  return 0;
}

}  // namespace tessera::tool
