// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Factors of tall matrices, of which a task takes some rows.

#include "tessera/core/dtype.hpp"
#include "tessera/lower/matrices.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

/// The R factor of a matrix of which tasks take blocks of rows: a tree of those of blocks.
class tall_factors {
 public:
  /// Returns in how many rows a task takes a matrix of `columns` columns laid out like `x`.
  [[nodiscard]] static index_t leaf(const array_layout& x, index_t columns);
  /// Tells whether there is a tree for a matrix like `x`, with `more` columns beside its own.
  [[nodiscard]] static bool is_for(const array_layout& x, index_t more = 0);

  /// Of `x`, or of `x` and `beside` beside it.
  tall_factors(std::string_view name, dtype type, const laid_out_array& x,
               const laid_out_array* beside = nullptr);

  /// Returns R, which is square.
  [[nodiscard]] laid_out_array r() const;
  /// Returns the product of Q and `factor`, of as many rows as Q has columns; Q where there is
  /// none.
  [[nodiscard]] laid_out_array q(const std::optional<laid_out_array>& factor) const;

 private:
  /// Rows of which a task takes a block: those of the matrix, or of R factors below each other.
  struct level {
    laid_out_array rows;
    index_t block;
  };

  void add_level(const laid_out_array& rows, index_t block, const laid_out_array* beside);

  std::string_view name_;
  dtype type_;
  index_t columns_;
  std::vector<level> levels_;
  /// Of shape (1, columns, columns).
  array_handle r_;
};

}  // namespace tessera
