// SPDX-License-Identifier: Apache-2.0
/// \file
/// The JSON of block functions.

#include "tessera/kernel/registry.hpp"
#include "tessera/primitive/blocks.hpp"

#include "json/fields.hpp"
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
  for (const json& entry : value.get_ref<const json::array_t&>()) {
    axes.push_back({fields::number_below(entry.at(0), max_rank)});
    if (entry.size() > 1) axes.back().grown_by = fields::number_below(entry.at(1), max_rank);
  }
  return axes;
}

json output_json(const block_made& spec) {
  json axes = json::array();
  for (const output_axis& axis : spec.axes) {
    switch (axis.how) {
      case output_axis::kind::own:
        axes.push_back({{"own", axis.length}});
        break;
      case output_axis::kind::along:
        axes.push_back({{"along", axis.axis}});
        break;
      case output_axis::kind::per_block:
        axes.push_back({{"per_block", axis.axis}});
        break;
    }
  }
  return {{"axes", std::move(axes)}, {"order", spec.order}, {"needed", spec.is_needed}};
}

block_made parse_output(const json& value) {
  block_made spec{{}, fields::counts(value.at("order")), value.at("needed").get<bool>()};
  for (const json& axis : value.at("axes").get_ref<const json::array_t&>()) {
    if (axis.contains("own")) {
      constexpr index_t most = index_t{1} << 48;
      spec.axes.push_back({output_axis::kind::own, 0, fields::integer_in(axis.at("own"), 0, most)});
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
  for (const auto& axes : how_.inputs) inputs.push_back(input_json(axes));
  json outputs = json::array();
  for (const block_made& spec : how_.outputs) outputs.push_back(output_json(spec));
  return json{
      {"kernel", kernel_->name},           {"parameters", fields::of_bytes(parameters_.identity())},
      {"inputs", std::move(inputs)},       {"outputs", std::move(outputs)},
      {"whole", how_.whole.to_ulong()},    {"streamed", how_.streamed.to_ulong()},
      {"origin", fields::of(how_.origin)}, {"call", fields::of(how_.call)}}
      .dump();
}

primitive_handle detail::parse_blocks(const std::string& text) {
  const json value = json::parse(text);
  const block_kernel& kernel = find_block_kernel(fields::text(value.at("kernel")));
  const auto axes = [&value](const char* name) {
    return axis_set(fields::number_below(value.at(name), std::size_t{1} << max_rank));
  };
  block_walk blocks{{},
                    {},
                    axes("whole"),
                    axes("streamed"),
                    fields::indices(value.at("origin")),
                    fields::indices(value.at("call"))};
  for (const json& input : value.at("inputs").get_ref<const json::array_t&>()) {
    blocks.inputs.push_back(parse_input(input));
  }
  for (const json& output : value.at("outputs").get_ref<const json::array_t&>()) {
    blocks.outputs.push_back(parse_output(output));
  }
  return std::make_shared<const block_function>(
      kernel, fields::parameters(value.at("parameters"), kernel.name, kernel.restore),
      std::move(blocks));
}

}  // namespace tessera
