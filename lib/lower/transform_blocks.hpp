// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Block and chunk sizes of the steps of an out-of-core Fourier transform.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace tessera {

/// The chunks of an intermediate array of rows and columns, between two steps.
struct transform_chunks {
  index_t rows = 1;
  index_t columns = 1;
  /// The chunks (rows, columns) that the producer writes, if `rows` x `columns` is too small to
  /// write. A copy then rechunks them for the consumer.
  std::optional<std::pair<index_t, index_t>> written = std::nullopt;
};

/// The blocks of all steps of the transform of a line of `rows * columns` elements.
struct transform_blocks {
  index_t rows = 1;
  index_t columns = 1;
  /// The rows that a task splits off the line, the columns and the rows that a task transforms.
  index_t rows_split = 1;
  index_t columns_at_once = 1;
  index_t rows_at_once = 1;
  /// The elements of the result that a task joins.
  index_t joined = 1;
  /// The intermediate arrays: the line as rows, its columns transformed, and the transposed result,
  /// which has `columns` rows.
  transform_chunks split;
  transform_chunks turned;
  transform_chunks transformed;
  /// The bytes of the smallest chunk between steps.
  double least_chunk = 0;

  /// Tells whether each step reads the chunks of the previous step without a rechunk.
  [[nodiscard]] bool is_without_copies() const {
    return !split.written && !turned.written && !transformed.written;
  }
};

/// The memory and the shapes that bound the blocks of an out-of-core transform.
struct transform_limits {
  /// The bytes that a task may use, and the bytes of a chunk of the operand.
  double room = 0;
  double chunk_read = 0;
  /// The bytes of a chunk whose transfer takes as long as the latency of a request. Smaller chunks
  /// are written by a copy, which takes another pass over all elements.
  double worthwhile_chunk = 0;
  /// The bytes of an element before and after, and the number of lines side by side in a block.
  double size_before = 1;
  double size_after = 1;
  double lines = 1;
  /// The bytes that a joining task holds for an element of the result.
  double size_joined = 1;
  /// The chunk lengths of the operand and the result along the line, and the length of the result.
  index_t chunk_before = 1;
  index_t chunk_after = 1;
  index_t length_after = 1;
  /// The kernels that transform columns and rows.
  const block_kernel* of_columns = nullptr;
  const block_kernel* of_rows = nullptr;

  /// Returns the blocks for a line of `rows` x `columns` elements, or nullopt if no task holds a
  /// row and a column.
  [[nodiscard]] std::optional<transform_blocks> choose_blocks(index_t rows, index_t columns) const;
  /// Returns the blocks for the most nearly square factorisation that has blocks, or nullopt.
  [[nodiscard]] std::optional<transform_blocks> choose_blocks(index_t points) const;

 private:
  /// Returns the elements of the result that a task joins, of a line of `rows` rows.
  [[nodiscard]] index_t count_joined(index_t rows) const;
  /// Sets the chunks between steps, and rounds the blocks to multiples of them.
  void set_chunks(transform_blocks& blocks) const;
  /// Has producers write larger chunks if a chunk between steps is too small to write: chunks of at
  /// most `before` elements of the line before the split, `after` behind it.
  void widen_chunks(transform_blocks& blocks, index_t before, index_t after) const;
};

}  // namespace tessera
