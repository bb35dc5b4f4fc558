// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The leaves and the steps of folds, which fix the order of their additions.

#include "tessera/core/index.hpp"
#include "tessera/lower/nodes.hpp"

#include "primitive/api/strips.hpp"

#include <vector>

namespace tessera {

/// Returns the least number of elements of a leaf for each value of its state, in a fold of
/// `sources`: the cost of starting and merging a state is then small.
[[nodiscard]] double least_for_value(const fold_sink& sink,
                                     const std::vector<strip_source>& sources);

/// Returns the leaf of a fold over `domain` that is read in `chunks`: a chunk, doubled along the
/// reduced axes, the last axis first, until it has `least_of_value` elements for each value of its
/// state.
[[nodiscard]] index_vector choose_leaf(const index_vector& domain, const index_vector& chunks,
                                       const fold_sink& sink, double least_of_value);

/// Returns `step` with the extents that `fold_sink::reference_step` asks for: 1 along axes of one
/// element, at least 2 along the rest.
[[nodiscard]] index_vector reference_step(index_vector step, const index_vector& domain);

/// Returns the step of a fold over `domain` that is read in `chunks`, of leaves of `leaf`: one
/// chunk, or several if a single reduced axis is cut into chunks.
[[nodiscard]] index_vector choose_step(const index_vector& domain, const index_vector& chunks,
                                       const index_vector& leaf, axis_set reduced);

}  // namespace tessera
