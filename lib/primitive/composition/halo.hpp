// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Halos of stages: the surroundings of a block that a window reads.
///
/// A stage with a halo along an axis has coordinates `p = i + w + offset`, sums of positions `i`
/// and `w` on two axes of the operation. Each of its elements is computed once, not once for each
/// pair:
///
///     i = 0..3, w = 0..2    12 pairs    p = 0..5    6 elements
///
/// A box of the operation computes the interval [min i + min w, max i + max w] + offset of such an
/// axis, without positions that the stage does not have: a border around it is computed by readers.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"

#include "primitive/composition/composition.hpp"

namespace tessera::detail {

/// Gives `schedule`, of `part` without its halo, the domain and the blocks with it, for boxes of
/// `whole` extents.
void add_halo(const stage& part, const index_vector& whole, loop_schedule& schedule);

/// Adds the halo of `part` to `box`, along its axes, for the box `whole` of the operation.
void add_halo(const stage& part, const region& whole, region& box);

/// Returns how much more elements `part` computes in steps or blocks of `extents` than at once.
[[nodiscard]] double overlap_of_halos(const stage& part, const index_vector& domain,
                                      const index_vector& extents);

/// Returns the smallest box in `whole`, a box of the operation, with all positions that read
/// elements of `box`, a box of `part`.
[[nodiscard]] region hull_of(const stage& part, const region& box, const region& whole);

/// Returns a box in `whole` that reads exactly `box`. Requires: `whole` reads all of it.
[[nodiscard]] region cover_of(const stage& part, const region& box, const region& whole);

/// Returns `map`, from the domain of the operation to an operand of `part`, from the domain of the
/// stage. Throws value_error if there is no such map.
[[nodiscard]] index_map seen_from(const stage& part, const index_map& map);

}  // namespace tessera::detail
