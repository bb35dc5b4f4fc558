// SPDX-License-Identifier: Apache-2.0
/// \file
/// The JSON of compositions.

#include "tessera/core/error.hpp"

#include "core/api/gather.hpp"
#include "core/api/wide_integer.hpp"
#include "json/byte_text.hpp"
#include "json/fields.hpp"
#include "primitive/composition/composition.hpp"
#include "primitive/parse.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using nlohmann::json;

json primitive_json(const primitive& op) {
  return {{"kind", op.kind()}, {"json", fields::parse(op.to_json())}};
}

/// Returns the primitive of a stage.
///
/// Throws: value_error <- it has stages itself: a plan file cannot nest them without bound.
primitive_handle parse_inner(const json& value) {
  const std::string& kind = fields::text(value.at("kind"));
  if (kind == "stages") throw value_error("a stage of an operation may not have stages itself");
  return parse_primitive(kind, value.at("json").dump());
}

/// A gather of a stage is a reshape, which has no tables.
json without_table(const index_table* /*table*/) { return nullptr; }

std::shared_ptr<const index_table> no_table(const json& value) {
  if (!value.is_null()) throw value_error("a stage reads an output through a table of indices");
  return nullptr;
}

json input_json(const stage_input& input) {
  json value{{"number", input.number}};
  if (!input.stage) return value;
  value["stage"] = *input.stage;
  value["map"] = fields::of_gathered(input.map, without_table);
  if (!input.name.empty()) value["name"] = fields::of_byte_text(input.name);
  return value;
}

/// `count` is the number of the reading stage: it reads outputs of stages before it.
stage_input parse_input(const json& value, std::size_t count) {
  stage_input input{.number = fields::count(value.at("number"))};
  if (!value.contains("stage")) return input;
  input.stage = fields::number_below(value.at("stage"), count);
  input.map = fields::gathered_map(value.at("map"), no_table);
  if (value.contains("name")) input.name = fields::byte_text(value.at("name"));
  return input;
}

json axis_json(const output_axis& axis) {
  return {static_cast<int>(axis.origin), axis.axis, axis.length, axis.skipped, axis.step};
}

output_axis parse_axis(const json& value) {
  return {static_cast<output_axis::kind>(fields::number_below(value.at(0), 3)),
          fields::number_below(value.at(1), max_rank),
          fields::integer_in(value.at(2), 0, greatest_index),
          fields::integer_in(value.at(3), 0, greatest_index),
          fields::integer_in(value.at(4), 1, greatest_index)};
}

std::vector<output_axis> parse_frame(const json& value) {
  std::vector<output_axis> frame;
  for (const json& axis : value.get_ref<const json::array_t&>()) {
    if (frame.size() == max_rank) throw value_error("a stage has more axes than an array may have");
    frame.push_back(parse_axis(axis));
  }
  return frame;
}

std::vector<halo_axis> parse_halo(const json& value) {
  std::vector<halo_axis> halo;
  for (const json& axis : value.get_ref<const json::array_t&>()) {
    if (halo.size() == max_rank) throw value_error("a stage has more halos than axes");
    halo.push_back({fields::number_below(axis.at(0), max_rank),
                    fields::number_below(axis.at(1), max_rank),
                    fields::integer_in(axis.at(2), -greatest_index, greatest_index),
                    fields::integer_in(axis.at(3), 1, greatest_index)});
  }
  return halo;
}

json stage_json(const stage& part) {
  json inputs = json::array();
  for (const stage_input& input : part.inputs) inputs.push_back(input_json(input));
  json value{{"primitive", primitive_json(*part.op)},
             {"inputs", std::move(inputs)},
             {"at", static_cast<int>(part.at)},
             {"step", fields::of(part.step)},
             {"emitted", part.is_emitted}};
  if (!part.frame) return value;
  json frame = json::array();
  for (const output_axis& axis : *part.frame) frame.push_back(axis_json(axis));
  value["frame"] = std::move(frame);
  for (const halo_axis& halo : part.halo)
    value["halo"].push_back({halo.axis, halo.by, halo.offset, halo.extent});
  return value;
}

stage parse_stage(const json& value, std::size_t count) {
  stage part{parse_inner(value.at("primitive")), {}};
  for (const json& input : value.at("inputs").get_ref<const json::array_t&>()) {
    part.inputs.push_back(parse_input(input, count));
  }
  if (value.contains("frame")) part.frame = parse_frame(value.at("frame"));
  if (value.contains("halo")) part.halo = parse_halo(value.at("halo"));
  part.at = static_cast<task_scope>(fields::number_below(value.at("at"), 3));
  part.step = fields::indices(value.at("step"));
  part.is_emitted = fields::flag(value.at("emitted"));
  return part;
}

}  // namespace

std::string composition::to_json() const {
  json stages = json::array();
  for (const stage& part : stages_) stages.push_back(stage_json(part));
  return json{{"stages", std::move(stages)}}.dump();
}

primitive_handle detail::parse_stages(const std::string& text) {
  const json value = fields::parse(text);
  std::vector<stage> stages;
  for (const json& part : value.at("stages").get_ref<const json::array_t&>()) {
    if (stages.size() == composition::most_stages) {
      throw value_error(
          fmt::format("an operation has more than {} stages", composition::most_stages));
    }
    stages.push_back(parse_stage(part, stages.size()));
  }
  return std::make_shared<const composition>(std::move(stages));
}

}  // namespace tessera
