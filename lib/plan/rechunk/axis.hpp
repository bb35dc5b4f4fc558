// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Blocks and chunks along one axis of an array that is rechunked.

#include "tessera/core/index.hpp"

#include <initializer_list>
#include <vector>

namespace tessera::rechunking {

/// Returns the number of pairs of a block and a chunk that share an element, over `extent`
/// elements.
[[nodiscard]] index_t touched(index_t extent, index_t block, index_t chunk);

/// Returns the length of chunks between blocks of `written` and blocks of `read`. Each chunk lies
/// in one block of `written`; blocks of `read` read at most `tolerance` times all elements.
[[nodiscard]] index_t meet(index_t extent, index_t written, index_t read, double tolerance);

/// Returns the lengths 1, 2, 3, 4, 6, 8, 12, ... times each of `units`, and the whole extent, in
/// ascending order.
[[nodiscard]] std::vector<index_t> ladder(index_t extent, std::initializer_list<index_t> units);

/// Returns the least common multiple of two lengths, at most `extent`.
[[nodiscard]] index_t common_multiple(index_t extent, index_t a, index_t b);

}  // namespace tessera::rechunking
