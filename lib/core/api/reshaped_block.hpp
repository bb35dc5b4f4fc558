// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reshapes of blocks in memory, as strides.
///
/// Problem: `argmax(reshape(y, {8, n * n}), axis<1>)` reads y, of shape (8, n, n), through a
/// gather. If a task has computed the block of y itself, no element has to move.
///
/// Idea: a factor without a table numbers the elements of its axes in row-major order. Let a dense
/// block hold these axes whole and side by side. Then element k is k strides behind element 0, and
/// the axes of the factor's domain have strides in the block as it is:
///
///     block of y (1, 4, 6)     strides (24, 6, 1)     the factor sees (24) and reads (4, 6)
///     reshaped (1, 24)         strides (24, 1)        stride of (24): that of the last axis read

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"

#include "core/api/gather.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tessera {

/// Tells whether the domain of `map` has strides in each dense block of an array of `shape` that
/// holds the axes that `map` numbers anew whole. Other axes may be cut.
[[nodiscard]] bool is_reshape_in_memory(const gather& map, const index_vector& shape);

/// Returns the index along `axis` of the array as an affine map; nullopt if `map` has a gather that
/// lists its indices or numbers the axis anew.
///
/// Requires: the gather, if any, is a reshape in memory.
[[nodiscard]] std::optional<axis_map> index_along(const index_map& map, std::size_t axis);

/// Returns the index of the array at `position` of the domain of `map`, a reshape in memory.
[[nodiscard]] index_vector reshaped_index(const gather& map, std::span<const index_t> position);

/// Returns the strides along the domain of `map`, a reshape in memory, in a block of the array with
/// `array_strides`.
[[nodiscard]] index_vector reshaped_strides(const gather& map,
                                            std::span<const index_t> array_strides);

}  // namespace tessera
