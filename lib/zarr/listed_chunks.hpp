// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The chunks of an array that a list of its store shows; with shards, the shards.

#include "tessera/zarr/zarr_array.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tessera::detail {

/// Takes the key of a chunk and its position, which may be outside the grid.
using chunk_visitor = std::function<void(const std::string& key, const index_vector& chunk)>;

/// Calls `visit` with each stored chunk of the array at `path`.
void for_each_listed_chunk(const key_value_store& store, const std::string& path,
                           const zarr_metadata& metadata, const chunk_visitor& visit);

/// Tells which chunks of an array an earlier run has stored.
///
/// Files are asked for one by one, since one that a power failure has left empty is no chunk. Of
/// another store, questions go on one by one until they are as many as the requests of a list. Then
/// a list answers the later ones: a chunk that is written meanwhile is not in it.
///
/// Thread safety: `contains` may be called from any number of threads.
class earlier_chunks {
 public:
  explicit earlier_chunks(const zarr_array& array);

  [[nodiscard]] bool contains(std::span<const index_t> chunk) const;

 private:
  [[nodiscard]] std::vector<index_t> list() const;

  zarr_array array_;
  /// The number of requests of a list.
  index_t num_requests_;
  bool is_listed_;
  mutable std::atomic<index_t> num_questions_{0};
  mutable std::once_flag has_list_;
  /// The positions of the listed chunks in the grid, sorted.
  mutable std::vector<index_t> numbers_;
};

}  // namespace tessera::detail
