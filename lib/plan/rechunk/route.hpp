// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A rechunk as a route of copies, one after the other.
///
/// A task of a copy fills one block from chunks, each of which it reads once, and writes the chunks
/// that the block consists of:
///
///     source chunks -> block 1 -> chunks -> block 2 -> ... -> target chunks
///
/// The cost of a copy depends on two consecutive blocks, so that the cheapest rechunk is a shortest
/// route in a graph of blocks.

#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::rechunking {

/// An array that the first copy reads, along the axes of its output.
struct array_read {
  /// The extents of a chunk along those axes, at most the shape.
  index_vector chunks;
  double chunk_bytes = 0;
  /// The share of the shape in which it is read.
  double share = 1;

  [[nodiscard]] bool operator==(const array_read&) const = default;
};

/// The use of the last block of a route.
enum class route_end {
  chunks,  ///< it is written, in the target's chunks
  blocks,  ///< it is the block of an operation, which consists of whole blocks of the target; the
           ///< writes of the operation are not counted
  block,   ///< as `blocks`, and it equals the target
};

/// A rechunk to be planned: an array, its chunks and the chunks that it shall have.
struct problem {
  index_vector shape;
  /// Chunks, at most the shape.
  index_vector source;
  index_vector target;
  std::size_t itemsize = 1;
  /// The memory of a task in bytes.
  std::size_t memory = 0;
  /// The number of copies of a chunk in memory during reads and writes: 2 if it is encoded.
  std::size_t chunk_copies = 2;
  tessera::costs costs;
  route_end end = route_end::chunks;
  /// The inputs of the first copy if it computes elements; empty: the array in `source`.
  std::vector<array_read> reads = {};
  /// The bytes for each element of a block in a task of the first, and of the last copy; 0: the
  /// size of an element.
  std::size_t first_itemsize = 0;
  std::size_t last_itemsize = 0;

  [[nodiscard]] bool operator==(const problem&) const = default;
};

/// A copy of the whole array: each task fills a block and writes its chunks.
struct copy {
  index_vector block;
  index_vector chunks;
};

/// The cost of a route.
struct route_cost {
  double num_tasks = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  double num_requests = 0;
  /// The memory of a task of the largest copy, in bytes.
  double memory = 0;
  /// Seconds of one worker, and of all workers of the costs.
  double work = 0;
  double wall = 0;

  /// Returns wall * sqrt(work), the lower the better: twice the work is worth it if it reduces the
  /// wall time by more than the square root of two.
  [[nodiscard]] double merit() const;
};

/// Copies from the source's chunks to the target's, at most four.
struct route {
  std::vector<copy> copies;
  route_cost cost;
};

/// Returns the route with the best merit, followed by the two next best of those that were tried,
/// over other blocks; empty if no route keeps to the memory.
[[nodiscard]] std::vector<route> shortest_routes(const problem& of);

/// Returns the cost of `copies`.
[[nodiscard]] route_cost cost_of(const problem& of, const std::vector<copy>& copies);

}  // namespace tessera::rechunking
