// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The blocks of the steps that make a long transform.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace tessera {

/// Chunks of an array of rows and columns that one step makes and another reads.
struct transform_chunks {
  index_t rows = 1;
  index_t columns = 1;
  /// The chunks that are made, where those that are read would be too small to be made at once;
  /// these are then copied.
  std::optional<std::pair<index_t, index_t>> made = std::nullopt;
};

/// The blocks of all steps of the transform of a line of `rows * columns` elements.
struct transform_blocks {
  index_t rows = 1;
  index_t columns = 1;
  /// How many rows are split off the line at once, how many columns and then rows are transformed.
  index_t rows_split = 1;
  index_t columns_at_once = 1;
  index_t rows_at_once = 1;
  /// How many elements of the result are joined.
  index_t joined = 1;
  /// What is between: of the elements, of their columns transformed, and of the result, whose rows
  /// are as many as the columns were.
  transform_chunks split;
  transform_chunks turned;
  transform_chunks transformed;
  /// The bytes of the least chunk that is between steps.
  double least_chunk = 0;

  /// Tells whether each step reads what the one before it made, without a copy.
  [[nodiscard]] bool hands_on() const { return !split.made && !turned.made && !transformed.made; }
};

/// What blocks of a long transform must keep to.
struct transform_limits {
  /// The bytes that a task may take, and those of a chunk of the operand, which it reads.
  double room = 0;
  double chunk_read = 0;
  /// The bytes of chunks for which steps wait as long as it takes to move them: smaller ones are
  /// made by a copy, which takes another pass over all elements.
  double worthwhile_chunk = 0;
  /// The bytes of elements, before and after, and how many lines lie side by side.
  double size_before = 1;
  double size_after = 1;
  double lines = 1;
  /// Those that a task holds of an element of the result when rows are put together.
  double size_joined = 1;
  /// The length of chunks, along the line, of the operand and of the result, and how many elements
  /// that has.
  index_t chunk_before = 1;
  index_t chunk_after = 1;
  index_t length_after = 1;
  /// The kernel that transforms columns.
  const block_kernel* of_columns = nullptr;
  const block_kernel* of_rows = nullptr;

  /// Returns the blocks for a line of so many rows and columns; nothing where no task holds one.
  [[nodiscard]] std::optional<transform_blocks> blocks(index_t rows, index_t columns) const;
  /// Returns them for the rows and columns of `points` elements that are most alike.
  [[nodiscard]] std::optional<transform_blocks> blocks(index_t points) const;

 private:
  /// Finds the chunks between steps, of which their blocks are then made.
  void cut_chunks(transform_blocks& found) const;
};

}  // namespace tessera
