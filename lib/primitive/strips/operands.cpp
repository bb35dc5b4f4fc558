// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the operands of strips are computed on the way, and made fewer.

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
    const bool uses_it = std::find(used.begin(), used.end(), operand) != used.end();
    if (!uses_it || producer.size() == 1) {
      pieces.push_back(with_inner(part, operand, producer.front(), num_operands));
      continue;
    }
    if (map.behind() != nullptr) return nullptr;
    for (const piece& inner : producer.near(map.image(part.where))) {
      const auto seen = preimage(map, inner.where, part.where, reduced_);
      if (!seen) return nullptr;
      for (const region& where : *seen) {
        pieces.push_back(with_inner(part, operand, inner, num_operands));
        pieces.back().where = where;
      }
    }
  }
  for (piece& part : pieces) {
    for (std::size_t& other : part.operands) other -= other > operand ? 1 : 0;
  }
  piece_list in_order(std::move(pieces));
  if (!fold_evenly(in_order, reduced_)) return nullptr;
  if (groups_.size() > 1 && in_order.size() > 1) return nullptr;
  return std::make_shared<const strips>(std::move(in_order), sinks_, merged_);
}

primitive_handle strips::within(const walk& how, const region& box) const {
  // The states of parts are those of all blocks.
  if (merged_ || makes_states(how)) return nullptr;
  std::vector<piece> pieces;
  for (const piece& part : pieces_.near(box)) {
    region where = intersect(part.where, box);
    if (where.empty()) continue;
    for (std::size_t axis = 0; axis < box.rank(); ++axis) {
      where.start[axis] -= box.start[axis];
      where.stop[axis] -= box.start[axis];
    }
    pieces.push_back({std::move(where), part.operands, part.program});
  }
  return pieces.empty() ? nullptr
                        : std::make_shared<const strips>(std::move(pieces), sinks_, merged_);
}

primitive_handle strips::with_operands(const std::vector<std::size_t>& places,
                                       std::size_t /*count*/) const {
  std::vector<piece> pieces;
  for (const piece& part : pieces_) pieces.push_back(tessera::with_operands(part, places));
  return std::make_shared<const strips>(std::move(pieces), sinks_, merged_);
}

}  // namespace tessera
