// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// QR factors of tall matrices: TSQR, a tree of factors of row blocks.
///
/// Problem: a matrix of many more rows than columns lies in many chunks, and no task holds it.
///
/// Idea: each task factors a block of rows. The R factors, one below the other, are a matrix of
/// fewer rows, which is factored in the same way until one R is left:
///
///     A0 -> R0 -+
///     A1 -> R1 -+-> R01 -+
///     A2 -> R2 -+        +-> R
///     A3 -> R3 -+-> R23 -+
///
/// Q of a level is Q of each block, times the rows of Q of the level above that belong to it. Q is
/// not kept on the way up, but computed from the blocks again: the matrix is read twice.
///
/// Invariant: blocks have at least `least_height` times as many rows as columns, so R factors are
/// small beside their blocks. The tree depends on shape and chunks alone, and so do the bits.
/// If one chunk holds all rows, a tree replaces a whole matrix only if no task holds the matrix.
/// Its blocks cut the chunk. The program, its identity and the bits then depend on the allowed
/// memory.
/// Reference: Demmel, Grigori, Hoemmen, Langou, "Communication-optimal parallel and sequential QR
/// and LU factorizations" (2012).

#include "tessera/core/dtype.hpp"
#include "tessera/lower/lower_matrices.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

/// The tree of R factors of a tall matrix.
class tall_factors {
 public:
  /// The ends of row blocks: at ends of chunks, or anywhere.
  enum class block_ends { of_chunks, anywhere };

  /// Returns the rows of a block of a matrix like `x`, with `extra_columns` to its right; nullopt
  /// if it has a single block.
  [[nodiscard]] static std::optional<index_t> rows_of_block(const array_layout& x, block_ends ends,
                                                            index_t extra_columns = 0);

  /// Builds the tree of `x`, or of the matrix [x, right_side], in blocks of `rows_of_block` rows.
  tall_factors(std::string_view name, dtype type, const laid_out_array& x, index_t rows_of_block,
               const laid_out_array* right_side = nullptr);

  /// Returns R, which is square.
  [[nodiscard]] laid_out_array r() const;
  /// Returns the product of Q and `factor`, which has as many rows as Q has columns, or Q if there
  /// is no factor.
  [[nodiscard]] laid_out_array q(const std::optional<laid_out_array>& factor) const;

 private:
  /// The rows of a level, of the matrix or of stacked R factors, and the rows of a task's block.
  struct tree_level {
    laid_out_array rows;
    index_t block;
  };

  void add_level(const laid_out_array& rows, index_t block, const laid_out_array* right_side);

  std::string_view name_;
  dtype type_;
  index_t columns_;
  std::vector<tree_level> levels_;
  /// Of shape (1, columns, columns).
  array_handle r_;
};

}  // namespace tessera
