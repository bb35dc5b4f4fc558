// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips with inlined producers, in a part of the domain, and with remapped operands.

#include "primitive/api/strips.hpp"
#include "primitive/pieces/pieces.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace tessera {

primitive_handle strips::with_producers(std::span<const inlined_operand> operands) const {
  std::optional<piece_list> inlined = inline_producers(pieces_, operands, reduced_);
  if (!inlined || (groups_.size() > 1 && inlined->size() > 1)) return nullptr;
  return std::make_shared<const strips>(std::move(*inlined), sinks_, merged_);
}

primitive_handle strips::within(const loop_schedule& schedule, const region& box) const {
  // States belong to blocks of the whole domain, so a part of the domain has none.
  if (merged_ || makes_states(schedule)) return nullptr;
  std::vector<piece> pieces = crop_pieces(pieces_, box);
  return pieces.empty() ? nullptr
                        : std::make_shared<const strips>(std::move(pieces), sinks_, merged_);
}

primitive_handle strips::with_operands(const std::vector<std::size_t>& targets,
                                       std::size_t /*count*/) const {
  return std::make_shared<const strips>(remap_operands(pieces_, targets), sinks_, merged_);
}

}  // namespace tessera
