// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The storage of arrays, as far as the buffers of tasks depend on it.

#include "core/api/streamed_shards.hpp"
#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tessera {

/// The storage of an array: in memory, generated, or in chunks.
struct array_storage {
  enum class kind { memory, generated, chunks };

  kind medium = kind::chunks;
  /// The vertex of the array; null outside of a graph.
  vertex array = {};
  element_type type{};
  index_vector shape;
  // The members below are for arrays in chunks only.
  index_vector chunks;
  /// Whether a decoded chunk is row-major.
  bool is_row_major = true;
  chunk_cost cost = {};
  /// The memory in which a shard is written chunk by chunk if it has no room in a task at once, and
  /// the memory of a task.
  streamed_shards streams = {};
  std::size_t room = static_cast<std::size_t>(-1);
};

/// The use of an array by a task: its chunks may differ between reading and writing.
enum class array_use { read, write };

/// Returns the storage of an array. An array of open placement is assumed to be in memory if it is
/// at most as large as the allowed memory of a task, else in storage.
[[nodiscard]] array_storage storage_of(const planned_array& array, array_use use,
                                       const spec& limits);

/// Adds the memory that the client of stores keeps in a process that reads from `arrays`. One
/// client reads for all of them.
void add_client(std::span<const array_storage> arrays, buffer_schedule& buffers);

/// Returns the bytes of `count` chunks. Chunks at the end of an array are stored whole.
[[nodiscard]] bytes bytes_of_chunks(index_t count, const array_storage& array);

/// Returns the bytes of the elements of `array` that `box` shows through `map`, each once: windows
/// that overlap show the same elements, which are in the cache.
[[nodiscard]] bytes bytes_shown(const index_map& map, const region& box,
                                const array_storage& array);

/// Tells whether a box of `extents` is one chunk of an array.
[[nodiscard]] bool is_one_chunk(const index_vector& extents, const array_storage& array);

/// Throws shape_error if two tasks with blocks of `block` would write one chunk of `array`.
void check_alignment(const std::string& operation, const index_vector& block,
                     const array_storage& array);

/// Tells whether each step of `schedule` reads exactly one chunk of `array` through `map`.
[[nodiscard]] bool reads_whole_chunks(const loop_schedule& schedule, const index_map& map,
                                      const array_storage& array);

/// Tells whether all chunks of `to` are whole, and `map` leads each, element by element, to a chunk
/// of an array with the same chunks.
[[nodiscard]] bool leads_to_whole_chunks(const index_map& map, const array_storage& to);

/// Returns the memory that an array of `shape` takes; at most 2^56 B.
[[nodiscard]] bytes memory_for_elements(const index_vector& shape, const element_type& type);

}  // namespace tessera
