// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface of sources and destinations whose chunks may lie in shards.

#include "tessera/core/index.hpp"

#include <cstddef>

namespace tessera {

/// The shards of an array. A task that reads chunks of a shard reads the index of the shard first,
/// by a request.
struct indexed_shards {
  /// The extents of a shard; empty if each chunk is stored by itself.
  index_vector extents = {};
  /// The number of shards whose indexes a task keeps at once.
  index_t num_kept_indexes = 1;
  /// The most bytes of stored chunks that one request reads; 0: each chunk is read by itself.
  std::size_t run_bytes = 0;
};

/// An array of which several chunks may be stored as one value, a shard.
class array_in_shards {
 public:
  [[nodiscard]] virtual indexed_shards shards_with_indexes() const = 0;

 protected:
  ~array_in_shards() = default;
};

}  // namespace tessera
