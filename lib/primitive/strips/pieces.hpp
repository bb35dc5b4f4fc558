// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What primitives that compute in pieces have in common.

#include "tessera/primitive/piece_list.hpp"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace tessera {

/// Returns `part` with the operation's operand `operand` made by `inner`, whose operands stand from
/// `first` on.
[[nodiscard]] piece with_inner(piece part, std::size_t operand, const piece& inner,
                               std::size_t first);

/// Returns `part` with operands without repetition; `places` tells where each of the operation's
/// went.
[[nodiscard]] piece with_operands(const piece& part, const std::vector<std::size_t>& places);

/// Tells whether they compute the same.
[[nodiscard]] bool are_equal(const piece_list& a, const piece_list& b);

namespace detail {

[[nodiscard]] nlohmann::json pieces_json(const piece_list& pieces);

/// Throws: as the fields of JSON that nobody vouches for; value_error <- a kernel is not known.
[[nodiscard]] piece_list parse_pieces(const nlohmann::json& value);

}  // namespace detail

}  // namespace tessera
