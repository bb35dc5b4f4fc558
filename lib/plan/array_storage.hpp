// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How arrays are stored, as far as the buffers of tasks are concerned.

#include "tessera/plan/planned.hpp"

#include "plan/graph.hpp"

#include <cstddef>
#include <string>

namespace tessera {

/// How the elements of an array can be had, as far as buffers are concerned.
struct array_storage {
  enum class kind { memory, generated, chunks };

  kind how = kind::chunks;
  /// What its buffers are named after.
  std::string name = {};
  dtype type{};
  index_vector shape;
  // What follows is of chunks only.
  index_vector chunks;
  char order = 'C';
  /// Whether a chunk is laid out anew before it is encoded.
  bool needs_write_scratch = false;
  std::size_t decoded_bytes = 0;
  std::size_t encoded_bound = 0;
  std::size_t workspace = 0;
};

/// Returns how an array with this metadata is stored.
[[nodiscard]] array_storage storage_of(const zarr_metadata& metadata);

/// Returns how an open array, which may be a field of records, is stored.
[[nodiscard]] array_storage storage_of(const zarr_array& array);

/// Returns how the array of a plan is stored.
[[nodiscard]] array_storage storage_of(const planned_array& array);

/// Returns how an array of a graph is stored, taking one that is computed to be an intermediate in
/// storage: what a pass must assume.
[[nodiscard]] array_storage storage_of(const array_vertex& array, const spec& limits);

/// Returns the metadata of an intermediate array.
[[nodiscard]] zarr_metadata intermediate_metadata(dtype type, const index_vector& shape,
                                                  const index_vector& chunks, const spec& limits);

/// Returns the memory that an array of `shape` takes; 2^56 B where it takes more.
[[nodiscard]] bytes memory_for_elements(const index_vector& shape, dtype type);

}  // namespace tessera
