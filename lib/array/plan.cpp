// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/plan.hpp"

namespace tessera::detail {

bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                               const std::vector<array_layout>& layouts,
                               const pass_switches& passes) {
  std::vector<const array_layout*> operands;
  for (const array_layout& layout : layouts) operands.push_back(&layout);
  const std::shared_ptr<const spec> common = common_spec("plan", operands);
  return {std::move(outputs), common ? *common : default_spec(), passes};
}

}  // namespace tessera::detail
