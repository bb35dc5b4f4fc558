// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies without a buffer between the elements that are read and the chunk or array that is
/// written.

#include "tessera/plan/operation.hpp"

#include "plan/array_storage.hpp"

namespace tessera {

/// Tells whether the axes of an array are the domain's axes in any order, with positive
/// steps: a store can read the array directly into another one.
[[nodiscard]] bool permutes_axes(const index_map& map);

/// Tells whether no extent exceeds the one of `chunk`.
[[nodiscard]] bool fits_into(const index_vector& extents, const index_vector& chunk);

/// Tells whether a task of a copy makes one chunk of `to`, and its elements have the order of the
/// chunk.
[[nodiscard]] bool makes_one_chunk(const operation& copy, const array_storage& to);

/// Tells whether an axis of the array depends on `axis` of the domain alone.
[[nodiscard]] bool depends_alone_on(const index_map& map, std::size_t axis);

}  // namespace tessera
