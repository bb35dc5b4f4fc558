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
  /// Tells arrays of one graph apart.
  vertex array = {};
  /// What its buffers are named after.
  std::string name = {};
  element_type type{};
  index_vector shape;
  // What follows is of chunks only.
  index_vector chunks;
  /// Whether a chunk that is read lies in memory row by row.
  bool is_row_major = true;
  chunk_cost cost = {};
};

/// What a task does with an array: it may be read in other chunks than it is written in.
enum class array_use { read, write };

/// Returns how an array is stored; one whose place is open is taken to be in memory where a task
/// could hold it, else in storage: what a pass must assume.
[[nodiscard]] array_storage storage_of(const planned_array& array, array_use use,
                                       const spec& limits);

/// Tells whether a box of extents `made` is one chunk of an array.
[[nodiscard]] bool is_one_chunk(const index_vector& made, const array_storage& array);

/// Tells whether all chunks of `to` are whole, and `map` leads each, element by element, to a chunk
/// of an array that is in the same ones.
[[nodiscard]] bool leads_to_whole_chunks(const index_map& map, const array_storage& to);

/// Returns the memory that an array of `shape` takes; 2^56 B where it takes more.
[[nodiscard]] bytes memory_for_elements(const index_vector& shape, const element_type& type);

}  // namespace tessera
