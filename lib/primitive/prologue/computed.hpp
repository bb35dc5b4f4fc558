// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Coordinates of computed operands.
///
/// A computed operand has the axes of the domain, but coordinates of its own: `p = i + w` along a
/// grown axis `i` with window axis `w`, `p = i` along an axis that is not grown. A sliding window
/// of `f(x)` is computed once for each `p`, not once for each pair (i, w):
///
///     i = 0..3, w = 0..2    12 pairs    p = 0..5    6 elements
///
/// A box of operands is an interval [min i + min w, max i + max w] along each axis.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"

#include "primitive/prologue/prologue.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::detail {

[[nodiscard]] dtype type_of(const computed_operand& computed);

/// Returns the map from a domain of `rank` to the axes of the computed operand.
[[nodiscard]] index_map operand_map(const computed_operand& computed, std::size_t rank);

/// Returns the box of the computed operand that `box`, a box of the domain, reads.
[[nodiscard]] region operand_box(const computed_operand& computed, const region& box);

/// Returns the smallest box in `box` with all positions that read elements of `box_of_operand`.
[[nodiscard]] region domain_hull(const computed_operand& computed, const region& box_of_operand,
                                 const region& box);

/// Returns a box in `box` that reads exactly `box_of_operand`. Requires: `box` reads all of it.
[[nodiscard]] region covering_box(const computed_operand& computed, const region& box_of_operand,
                                  region box);

/// Returns the number of steps: for each piece one for each operand, and one that computes.
[[nodiscard]] std::size_t count_steps(const computed_operand& computed);

/// Returns the weight of the heaviest program, in additions for an element.
[[nodiscard]] double heaviest_program(const computed_operand& computed);

/// Returns the operand, seen through `map`, that `producer` computes from operands `first`, ..., or
/// nullopt if `map` is not of the form `p = i + w`.
[[nodiscard]] std::optional<computed_operand> make_computed(const index_map& map,
                                                            const piece_list& producer,
                                                            std::size_t first);

/// Returns `computed` with `producer` inlined for its operand `operand`, which is seen through
/// `map`, or nullopt if the producer's pieces do not cut it into boxes.
[[nodiscard]] std::optional<computed_operand> inline_producer(const computed_operand& computed,
                                                              std::size_t operand,
                                                              const index_map& map,
                                                              const piece_list& producer,
                                                              std::size_t first);

/// Returns `computed` for the domain `box`, a box of the present domain.
[[nodiscard]] computed_operand restrict_to(const computed_operand& computed, const region& box);

/// Throws value_error unless `computed` is valid.
void check_computed(const operation_rules& rules, const computed_operand& computed);

}  // namespace tessera::detail
