// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/pieces.hpp"

#include "json/fields.hpp"
#include "primitive/strips/program_json.hpp"
#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

piece inline_producer(piece part, std::size_t operand, const piece& producer, std::size_t first) {
  while (true) {
    const auto match = std::find(part.operands.begin(), part.operands.end(), operand);
    if (match == part.operands.end()) return part;
    const auto position = static_cast<std::size_t>(match - part.operands.begin());
    part.program = inline_operand(part.program, position, producer.program);
    part.operands.erase(match);
    for (const std::size_t producer_operand : producer.operands) {
      part.operands.push_back(first + producer_operand);
    }
  }
}

piece remap_operands(const piece& part, const std::vector<std::size_t>& targets) {
  piece result{part.where, {}, {}};
  std::vector<std::size_t> local;
  for (const std::size_t operand : part.operands) {
    const std::size_t target = targets[operand];
    const auto match = std::find(result.operands.begin(), result.operands.end(), target);
    local.push_back(static_cast<std::size_t>(match - result.operands.begin()));
    if (match == result.operands.end()) result.operands.push_back(target);
  }
  result.program = remap_operands(part.program, local, result.operands.size());
  return result;
}

bool are_equal(const piece_list& a, const piece_list& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const piece& p, const piece& q) {
    return p.where == q.where && p.operands == q.operands && p.program == q.program;
  });
}

namespace detail {

using nlohmann::json;

json pieces_json(const piece_list& pieces) {
  json list = json::array();
  for (const piece& part : pieces) {
    list.push_back({{"start", fields::of(part.where.start)},
                    {"stop", fields::of(part.where.stop)},
                    {"operands", part.operands},
                    {"program", program_json(part.program)}});
  }
  return list;
}

piece_list parse_pieces(const json& value) {
  std::vector<piece> pieces;
  for (const json& part : value.get_ref<const json::array_t&>()) {
    pieces.push_back({{fields::indices(part.at("start")), fields::indices(part.at("stop"))},
                      fields::counts(part.at("operands")),
                      parse_program(part.at("program"))});
  }
  return {std::move(pieces)};
}

}  // namespace detail

}  // namespace tessera
