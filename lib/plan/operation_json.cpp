// SPDX-License-Identifier: Apache-2.0
#include "plan/operation_json.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"

#include "plan/json_fields.hpp"

#include <string>

namespace tessera {

namespace {

using nlohmann::json;

json map_json(const index_map& map) {
  json axes = json::array();
  for (const axis_map& m : map.axes()) {
    axes.push_back({m.axis == axis_map::none ? json() : json(m.axis), m.offset, m.step});
  }
  return {{"rank", map.domain_rank()}, {"axes", std::move(axes)}};
}

index_map parse_map(const json& value) {
  const std::size_t rank = fields::number_below(value.at("rank"), max_rank + 1);
  std::vector<axis_map> axes;
  for (const json& m : value.at("axes").get_ref<const json::array_t&>()) {
    axes.push_back({m.at(0).is_null() ? axis_map::none : fields::number_below(m.at(0), rank),
                    fields::integer(m.at(1)), fields::integer(m.at(2))});
  }
  return {rank, std::move(axes)};
}

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
  for (const json& step : value.at("steps").get_ref<const json::array_t&>()) {
    const strip_kernel& kernel = find_strip_kernel(fields::text(step.at("kernel")));
    program.steps.push_back(
        {&kernel, fields::parameters(step.at("parameters"), kernel.name, kernel.restore),
         fields::counts(step.at("inputs")), fields::counts(step.at("outputs"))});
  }
  return program;
}

json body_json(const map_body& map) {
  json pieces = json::array();
  for (const piece& part : map.pieces) {
    pieces.push_back({{"start", fields::of(part.where.start)},
                      {"stop", fields::of(part.where.stop)},
                      {"operands", part.operands},
                      {"program", program_json(part.program)}});
  }
  return {{"kind", "map"}, {"pieces", std::move(pieces)}};
}

json body_json(const fold_body& fold) {
  json folds = json::array();
  for (const fold_step& step : fold.folds) {
    folds.push_back({{"kernel", step.kernel->name},
                     {"parameters", fields::of_bytes(step.parameters.identity())}});
  }
  return {{"kind", "fold"},
          {"program", program_json(fold.program)},
          {"folds", std::move(folds)},
          {"phase", static_cast<int>(fold.phase)},
          {"parts", {fields::of(fold.parts.shape()), fields::of(fold.parts.chunks())}}};
}

json body_json(const contraction_body& contraction) {
  return {{"kind", "contraction"}, {"kernel", contraction.kernel->name}};
}

map_body parse_map_body(const json& value) {
  map_body map;
  for (const json& part : value.at("pieces").get_ref<const json::array_t&>()) {
    map.pieces.push_back({{fields::indices(part.at("start")), fields::indices(part.at("stop"))},
                          fields::counts(part.at("operands")),
                          parse_program(part.at("program"))});
  }
  return map;
}

fold_body parse_fold_body(const json& value) {
  fold_body fold;
  fold.program = parse_program(value.at("program"));
  for (const json& step : value.at("folds").get_ref<const json::array_t&>()) {
    const fold_kernel& kernel = find_fold_kernel(fields::text(step.at("kernel")));
    fold.folds.push_back(
        {&kernel, fields::parameters(step.at("parameters"), kernel.name, kernel.restore)});
  }
  fold.phase = static_cast<fold_phase>(fields::number_below(value.at("phase"), 3));
  const json& parts = value.at("parts");
  fold.parts = {fields::indices(parts.at(0)), fields::indices(parts.at(1))};
  return fold;
}

decltype(operation::body) parse_body(const json& value) {
  const std::string& kind = fields::text(value.at("kind"));
  if (kind == "map") return parse_map_body(value);
  if (kind == "fold") return parse_fold_body(value);
  if (kind == "contraction") {
    return contraction_body{&find_contraction_kernel(fields::text(value.at("kernel")))};
  }
  throw value_error("found an operation of the unknown kind '" + kind + "'");
}

}  // namespace

json operation_json(const operation& what) {
  json operands = json::array();
  for (const index_map& map : what.operands) operands.push_back(map_json(map));
  return {{"name", what.name},
          {"domain", fields::of(what.domain)},
          {"block", fields::of(what.block)},
          {"stream", fields::of(what.stream)},
          {"reduced", what.reduced.to_ulong()},
          {"operands", std::move(operands)},
          {"outputs", fields::of(what.outputs)},
          {"body", std::visit([](const auto& body) { return body_json(body); }, what.body)}};
}

operation parse_operation(const json& value) {
  operation what;
  what.name = fields::text(value.at("name"));
  what.domain = fields::indices(value.at("domain"));
  what.block = fields::indices(value.at("block"));
  what.stream = fields::indices(value.at("stream"));
  what.reduced = fields::number_below(value.at("reduced"), std::size_t{1} << max_rank);
  for (const json& map : value.at("operands").get_ref<const json::array_t&>()) {
    what.operands.push_back(parse_map(map));
  }
  what.outputs = fields::types(value.at("outputs"));
  what.body = parse_body(value.at("body"));
  return what;
}

}  // namespace tessera
