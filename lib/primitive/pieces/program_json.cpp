// SPDX-License-Identifier: Apache-2.0
#include "primitive/pieces/program_json.hpp"

#include "tessera/kernel/registry.hpp"

#include "json/fields.hpp"

#include <utility>

namespace tessera::detail {

using nlohmann::json;

json program_json(const strip_program& program) {
  json steps = json::array();
  for (const strip_step& step : program.steps) {
    steps.push_back({{"kernel", step.kernel->name},
                     {"parameters", fields::of_bytes(step.parameters.identity())},
                     {"inputs", step.inputs},
                     {"outputs", step.outputs}});
  }
  return {{"operands", program.num_operands},
          {"registers", fields::of(program.registers)},
          {"steps", std::move(steps)},
          {"results", program.results}};
}

strip_program parse_program(const json& value) {
  strip_program program{.num_operands = fields::count(value.at("operands")),
                        .registers = fields::types(value.at("registers")),
                        .steps = {},
                        .results = fields::counts(value.at("results"))};
  for (const json& step : fields::list(value.at("steps"))) {
    const strip_kernel& kernel = find_strip_kernel(fields::text(step.at("kernel")));
    program.steps.push_back(
        {&kernel, fields::parameters(step.at("parameters"), kernel.name, kernel.restore),
         fields::counts(step.at("inputs")), fields::counts(step.at("outputs"))});
  }
  return program;
}

}  // namespace tessera::detail
