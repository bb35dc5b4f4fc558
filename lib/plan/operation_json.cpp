// SPDX-License-Identifier: Apache-2.0
#include "plan/operation_json.hpp"

#include "tessera/core/error.hpp"

#include "core/api/gather.hpp"
#include "core/api/wide_integer.hpp"
#include "json/byte_text.hpp"
#include "json/fields.hpp"
#include "plan/memory_elements.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using nlohmann::json;

/// Returns a table as JSON: its offset among the elements in memory, and its size.
json table_json(const index_table* table, std::size_t& offset) {
  if (table == nullptr) return nullptr;
  json value{{"offset", offset}, {"size", table->size()}};
  offset = aligned_for_elements(offset + table->size() * sizeof(index_t));
  return value;
}

std::shared_ptr<const index_table> parse_table(const json& value, const file_elements& elements) {
  if (value.is_null()) return nullptr;
  const std::size_t offset = fields::count(value.at("offset"));
  const std::size_t size = fields::count(value.at("size"));
  if (offset % element_alignment != 0 || offset > elements.bytes.size() ||
      size > (elements.bytes.size() - offset) / sizeof(index_t)) {
    throw value_error("a table of indices: the file does not hold it");
  }
  const auto* const first = reinterpret_cast<const index_t*>(elements.bytes.data() + offset);
  return std::make_shared<const index_table>(elements.owner, std::span(first, size));
}

json primitive_json(const primitive& op) {
  return {{"kind", op.kind()}, {"json", fields::parse(op.to_json())}};
}

}  // namespace

json operation_json(const operation& op, std::size_t& offset) {
  json operands = json::array();
  for (const index_map& map : op.operands) {
    operands.push_back(fields::of_gathered(
        map, [&](const index_table* table) { return table_json(table, offset); }));
  }
  json value{
      {"name", fields::of_byte_text(op.name)},     {"domain", fields::of(op.schedule.domain)},
      {"block", fields::of(op.schedule.block)},    {"step", fields::of(op.schedule.step)},
      {"ordered", op.schedule.ordered.to_ulong()}, {"operands", std::move(operands)},
      {"primitive", primitive_json(*op.primitive)}};
  if (op.schedule.blocks_per_task > 1) value["blocks_per_task"] = op.schedule.blocks_per_task;
  if (op.schedule.overlap > 0) value["overlap"] = op.schedule.overlap;
  return value;
}

void write_tables(const operation& op,
                  const std::function<void(std::span<const std::byte>)>& sink) {
  for (const index_map& map : op.operands) {
    if (map.gather() == nullptr) continue;
    for (const gathered_axes& factor : map.gather()->factors()) {
      if (factor.table != nullptr) sink(std::as_bytes(factor.table->values()));
    }
  }
}

operation parse_operation(const json& value, const file_elements& elements) {
  operation op;
  op.name = fields::byte_text(value.at("name"));
  op.schedule.domain = fields::indices(value.at("domain"));
  op.schedule.block = fields::indices(value.at("block"));
  op.schedule.step = fields::indices(value.at("step"));
  op.schedule.ordered = fields::number_below(value.at("ordered"), std::size_t{1} << max_rank);
  if (value.contains("blocks_per_task")) {
    op.schedule.blocks_per_task =
        fields::integer_in(value.at("blocks_per_task"), 1, greatest_index);
  }
  if (value.contains("overlap")) {
    op.schedule.overlap = fields::integer_in(value.at("overlap"), 1, greatest_index);
  }
  for (const json& map : fields::list(value.at("operands"))) {
    op.operands.push_back(
        fields::gathered_map(map, [&](const json& table) { return parse_table(table, elements); }));
  }
  const json& primitive = value.at("primitive");
  op.primitive = parse_primitive(fields::text(primitive.at("kind")), primitive.at("json").dump());
  return op;
}

}  // namespace tessera
