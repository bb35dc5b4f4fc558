// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips with inlined producers, in a part of the domain, and with remapped operands.

#include "tessera/primitive/strips.hpp"

#include "primitive/strips/pieces.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace tessera {

primitive_handle strips::with_producer(std::size_t operand, std::size_t num_operands,
                                       const index_map& map, const piece_list& producer) const {
  std::vector<piece> pieces;
  for (const piece& part : pieces_) {
    const auto& used = part.operands;
    const bool is_consumer = std::find(used.begin(), used.end(), operand) != used.end();
    if (!is_consumer || producer.size() == 1) {
      pieces.push_back(inline_producer(part, operand, producer.front(), num_operands));
      continue;
    }
    if (map.behind() != nullptr) return nullptr;
    for (const piece& producer_piece : producer.near(map.image(part.where))) {
      const auto boxes = preimage(map, producer_piece.where, part.where, reduced_);
      if (!boxes) return nullptr;
      for (const region& box : *boxes) {
        pieces.push_back(inline_producer(part, operand, producer_piece, num_operands));
        pieces.back().where = box;
      }
    }
  }
  for (piece& part : pieces) {
    for (std::size_t& number : part.operands) number -= number > operand ? 1 : 0;
  }
  piece_list result(std::move(pieces));
  if (!fold_evenly(result, reduced_)) return nullptr;
  if (groups_.size() > 1 && result.size() > 1) return nullptr;
  return std::make_shared<const strips>(std::move(result), sinks_, merged_);
}

primitive_handle strips::within(const walk& schedule, const region& box) const {
  // States belong to blocks of the whole domain, so a part of the domain has none.
  if (merged_ || makes_states(schedule)) return nullptr;
  std::vector<piece> pieces;
  for (const piece& part : pieces_.near(box)) {
    region overlap = intersect(part.where, box);
    if (overlap.empty()) continue;
    for (std::size_t axis = 0; axis < box.rank(); ++axis) {
      overlap.start[axis] -= box.start[axis];
      overlap.stop[axis] -= box.start[axis];
    }
    pieces.push_back({std::move(overlap), part.operands, part.program});
  }
  return pieces.empty() ? nullptr
                        : std::make_shared<const strips>(std::move(pieces), sinks_, merged_);
}

primitive_handle strips::with_operands(const std::vector<std::size_t>& targets,
                                       std::size_t /*count*/) const {
  std::vector<piece> pieces;
  for (const piece& part : pieces_) pieces.push_back(remap_operands(part, targets));
  return std::make_shared<const strips>(std::move(pieces), sinks_, merged_);
}

}  // namespace tessera
