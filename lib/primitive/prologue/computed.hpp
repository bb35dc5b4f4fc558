// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where the places of a computed operand are in a domain: `place = i + w` along an axis that is
/// grown, `place = i` along others.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/primitive/prologue.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::detail {

[[nodiscard]] dtype type_of(const computed_operand& computed);

/// Returns the map from a domain of `rank` to what is computed of it.
[[nodiscard]] index_map map_to(const computed_operand& computed, std::size_t rank);

/// Returns the places that `box`, a box of the domain, shows.
[[nodiscard]] region places_in(const computed_operand& computed, const region& box);

/// Returns the smallest box of `box` that holds each position at which one of `places` is shown.
[[nodiscard]] region positions_of(const computed_operand& computed, const region& places,
                                  const region& box);

/// Returns a box of `box` that shows `places`, and no others. Requires: `box` shows them.
[[nodiscard]] region showing(const computed_operand& computed, const region& places, region box);

/// Returns how many reads, and computations behind them, it takes.
[[nodiscard]] std::size_t steps_of(const computed_operand& computed);

/// Returns how many additions its heaviest program takes on an element.
[[nodiscard]] double heaviest_program(const computed_operand& computed);

/// Returns an operand, seen through `map`, that `producer` computes of operands from `first` on;
/// nothing where its places are not found from a domain's positions.
[[nodiscard]] std::optional<computed_operand> computed_by(const index_map& map,
                                                          const piece_list& producer,
                                                          std::size_t first);

/// Returns `computed` with its operand `operand`, which is seen through `map`, computed so; nothing
/// where the producer's pieces cut its places into what are no boxes.
[[nodiscard]] std::optional<computed_operand> inline_producer(const computed_operand& computed,
                                                              std::size_t operand,
                                                              const index_map& map,
                                                              const piece_list& producer,
                                                              std::size_t first);

/// Returns `computed` of the domain that `box`, a box of this one, is.
[[nodiscard]] computed_operand within(const computed_operand& computed, const region& box);

/// Throws value_error where `computed` breaks a rule.
void check_computed(const operation_rules& rules, const computed_operand& computed);

}  // namespace tessera::detail
