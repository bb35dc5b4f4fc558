// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/pieces.hpp"

#include "json/fields.hpp"
#include "primitive/strips/program_json.hpp"
#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

piece with_inner(piece part, std::size_t operand, const piece& inner, std::size_t first) {
  while (true) {
    const auto found = std::find(part.operands.begin(), part.operands.end(), operand);
    if (found == part.operands.end()) return part;
    const auto position = static_cast<std::size_t>(found - part.operands.begin());
    part.program = inline_operand(part.program, position, inner.program);
    part.operands.erase(found);
    for (const std::size_t inner_operand : inner.operands) {
      part.operands.push_back(first + inner_operand);
    }
  }
}

piece with_operands(const piece& part, const std::vector<std::size_t>& places) {
  piece changed{part.where, {}, {}};
  std::vector<std::size_t> local;
  for (const std::size_t operand : part.operands) {
    const std::size_t place = places[operand];
    const auto found = std::find(changed.operands.begin(), changed.operands.end(), place);
    local.push_back(static_cast<std::size_t>(found - changed.operands.begin()));
    if (found == changed.operands.end()) changed.operands.push_back(place);
  }
  changed.program = with_operands(part.program, local, changed.operands.size());
  return changed;
}

bool are_equal(const piece_list& a, const piece_list& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const piece& p, const piece& q) {
    return p.where == q.where && p.operands == q.operands && p.program == q.program;
  });
}

namespace detail {

using nlohmann::json;

json pieces_json(const piece_list& pieces) {
  json all = json::array();
  for (const piece& part : pieces) {
    all.push_back({{"start", fields::of(part.where.start)},
                   {"stop", fields::of(part.where.stop)},
                   {"operands", part.operands},
                   {"program", program_json(part.program)}});
  }
  return all;
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
