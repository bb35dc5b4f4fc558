// SPDX-License-Identifier: Apache-2.0
/// \file
/// How the operands of strips are computed on the way, and made fewer.

#include "tessera/primitive/strips.hpp"

#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace tessera {

namespace {

/// Gives a piece operands without repetition; `places` tells where each of the operation's went.
piece unified(const piece& part, const std::vector<std::size_t>& places) {
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

/// Replaces operand `operand` of `part` by the operands of `inner`, which stand from `first` on.
void inline_into_piece(piece& part, std::size_t operand, const piece& inner, std::size_t first) {
  while (true) {
    const auto found = std::find(part.operands.begin(), part.operands.end(), operand);
    if (found == part.operands.end()) return;
    const auto position = static_cast<std::size_t>(found - part.operands.begin());
    part.program = inline_operand(part.program, position, inner.program);
    part.operands.erase(found);
    for (const std::size_t inner_operand : inner.operands) {
      part.operands.push_back(first + inner_operand);
    }
  }
}

}  // namespace

primitive_handle strips::with_producer(std::size_t operand, std::size_t num_operands,
                                       const index_map& map, const piece_list& producer) const {
  std::vector<piece> pieces;
  for (const piece& part : pieces_) {
    const auto& used = part.operands;
    const bool uses_it = std::find(used.begin(), used.end(), operand) != used.end();
    if (!uses_it || producer.size() == 1) {
      pieces.push_back(part);
      inline_into_piece(pieces.back(), operand, producer.front(), num_operands);
      continue;
    }
    if (map.behind() != nullptr) return nullptr;
    for (const piece& inner : producer.near(map.image(part.where))) {
      const auto seen = preimage(map, inner.where, part.where, reduced_);
      if (!seen) return nullptr;
      for (const region& where : *seen) {
        pieces.push_back(part);
        pieces.back().where = where;
        inline_into_piece(pieces.back(), operand, inner, num_operands);
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
  for (const piece& part : pieces_) pieces.push_back(unified(part, places));
  return std::make_shared<const strips>(std::move(pieces), sinks_, merged_);
}

}  // namespace tessera
