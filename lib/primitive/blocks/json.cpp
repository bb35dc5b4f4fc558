// SPDX-License-Identifier: Apache-2.0
/// \file
/// The JSON of block functions.

#include "tessera/kernel/registry.hpp"

#include "json/fields.hpp"
#include "primitive/api/block_function.hpp"
#include "primitive/parse.hpp"

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

json input_json(const std::vector<block_axis>& axes) {
  json value = json::array();
  for (const block_axis& axis : axes) {
    json entry = json::array({axis.axis});
    if (axis.grown_by) entry.push_back(*axis.grown_by);
    value.push_back(std::move(entry));
  }
  return value;
}

std::vector<block_axis> parse_input(const json& value) {
  std::vector<block_axis> axes;
  for (const json& entry : fields::list(value)) {
    axes.push_back({fields::number_below(entry.at(0), max_rank)});
    if (entry.size() > 1) axes.back().grown_by = fields::number_below(entry.at(1), max_rank);
  }
  return axes;
}

json output_json(const block_output_spec& spec) {
  json axes = json::array();
  for (const output_axis& axis : spec.axes) {
    switch (axis.origin) {
      case output_axis::kind::extra:
        axes.push_back({{"extra", axis.length}});
        break;
      case output_axis::kind::along:
        axes.push_back({{"along", axis.axis}});
        break;
      case output_axis::kind::per_block:
        axes.push_back({{"per_block", axis.axis}});
        break;
    }
  }
  return {{"axes", std::move(axes)}, {"order", spec.order}, {"is_needed", spec.is_needed}};
}

block_output_spec parse_output(const json& value) {
  block_output_spec spec{
      {}, fields::counts(value.at("order")), fields::flag(value.at("is_needed"))};
  for (const json& axis : fields::list(value.at("axes"))) {
    if (axis.contains("extra")) {
      constexpr index_t most = index_t{1} << 48;
      spec.axes.push_back(
          {output_axis::kind::extra, 0, fields::integer_in(axis.at("extra"), 0, most)});
    } else if (axis.contains("per_block")) {
      spec.axes.push_back(
          {output_axis::kind::per_block, fields::number_below(axis.at("per_block"), max_rank)});
    } else {
      spec.axes.push_back(
          {output_axis::kind::along, fields::number_below(axis.at("along"), max_rank)});
    }
  }
  return spec;
}

}  // namespace

std::string block_function::to_json() const {
  json inputs = json::array();
  for (const auto& axes : blocks_.inputs) inputs.push_back(input_json(axes));
  json outputs = json::array();
  for (const block_output_spec& spec : blocks_.outputs) outputs.push_back(output_json(spec));
  return json{{"kernel", kernel_->name},
              {"parameters", fields::of_bytes(parameters_.identity())},
              {"inputs", std::move(inputs)},
              {"outputs", std::move(outputs)},
              {"whole", blocks_.whole.to_ulong()},
              {"streamed", blocks_.streamed.to_ulong()},
              {"origin", fields::of(blocks_.origin)},
              {"call", fields::of(blocks_.call)},
              {"tile", fields::of(blocks_.tile)}}
      .dump();
}

primitive_handle detail::parse_blocks(const std::string& text) {
  const json value = fields::parse(text);
  const block_kernel& kernel = find_block_kernel(fields::text(value.at("kernel")));
  const auto axes = [&value](const char* name) {
    return axis_set(fields::number_below(value.at(name), std::size_t{1} << max_rank));
  };
  block_schedule blocks{{},
                        {},
                        axes("whole"),
                        axes("streamed"),
                        fields::indices(value.at("origin")),
                        fields::indices(value.at("call")),
                        fields::indices(value.at("tile"))};
  for (const json& input : fields::list(value.at("inputs"))) {
    blocks.inputs.push_back(parse_input(input));
  }
  for (const json& output : fields::list(value.at("outputs"))) {
    blocks.outputs.push_back(parse_output(output));
  }
  return std::make_shared<const block_function>(
      kernel, fields::parameters(value.at("parameters"), kernel.name, kernel.restore),
      std::move(blocks));
}

}  // namespace tessera
