// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A rechunk as copies, one after the other.
///
/// A task of a copy fills one block from the chunks before it, each of which it reads once, and
/// writes the chunks of which the block is made. So a rechunk is a route of blocks, and the
/// cheapest is a shortest route.

#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::rechunking {

/// An array that the first copy reads, along the axes of what it makes.
struct array_read {
  /// The extents that a chunk shows; no longer than the shape.
  index_vector chunks;
  double chunk_bytes = 0;
  /// The part of the shape in which it is read.
  double share = 1;
};

/// What becomes of the last block of a route.
enum class route_end {
  chunks,  ///< it is written, in the target's chunks
  blocks,  ///< an operation takes it as its own block, of whole ones of the target, and writes
           ///< what it writes anyway
  block,   ///< the same, and its block is the target
};

/// An array in chunks, and the chunks that it is to have.
struct problem {
  index_vector shape;
  /// Chunks, no longer than the shape.
  index_vector source;
  index_vector target;
  std::size_t itemsize = 1;
  /// The bytes that a task may take.
  std::size_t memory = 0;
  /// How often a chunk is in memory while it is read or written: 2 where it is encoded.
  std::size_t chunk_copies = 2;
  tessera::costs costs;
  route_end end = route_end::chunks;
  /// What the first copy reads, where it computes what it makes; empty: the array in `source`.
  std::vector<array_read> reads = {};
  /// The bytes that a task of the first copy, and of the last, has of each element of its block; 0:
  /// as many as the element.
  std::size_t first_itemsize = 0;
  std::size_t last_itemsize = 0;
};

/// A copy of the whole array: each task fills a block and writes its chunks.
struct copy {
  index_vector block;
  index_vector chunks;
};

/// What copies cost.
struct route_cost {
  double num_tasks = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  double num_requests = 0;
  /// The bytes that a task of the largest copy takes.
  double memory = 0;
  /// Seconds of one worker, and of those of the costs side by side.
  double work = 0;
  double wall = 0;

  /// Returns what is least of the route that is taken: twice the work is worth it where it makes
  /// the wall time less by more than the square root of two.
  [[nodiscard]] double merit() const;
};

/// Copies that lead from the source's chunks to the target's, at most four.
struct route {
  std::vector<copy> copies;
  route_cost cost;
};

/// Returns the route of least merit, and behind it the two next best of those that were looked at,
/// which lead over other blocks; nothing if there are none that keep to the memory.
[[nodiscard]] std::vector<route> shortest_routes(const problem& of);

/// Returns what `copies` cost.
[[nodiscard]] route_cost cost_of(const problem& of, const std::vector<copy>& copies);

}  // namespace tessera::rechunking
