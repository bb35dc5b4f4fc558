// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Transformations of pieces, and their JSON: shared by strips and prologues.

#include "tessera/primitive/piece_list.hpp"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace tessera {

/// Returns `part` with the operation's operand `operand` computed by `producer`, whose operands are
/// numbered from `first` on.
[[nodiscard]] piece inline_producer(piece part, std::size_t operand, const piece& producer,
                                    std::size_t first);

/// Returns `part` with operand `i` read from operand `targets[i]`, and without duplicate operands.
[[nodiscard]] piece remap_operands(const piece& part, const std::vector<std::size_t>& targets);

/// Tells whether both lists have equal boxes, operands and programs.
[[nodiscard]] bool are_equal(const piece_list& a, const piece_list& b);

namespace detail {

[[nodiscard]] nlohmann::json pieces_json(const piece_list& pieces);

/// Throws: as `json/fields.hpp` for malformed fields; value_error <- a kernel is not known.
[[nodiscard]] piece_list parse_pieces(const nlohmann::json& value);

}  // namespace detail

}  // namespace tessera
