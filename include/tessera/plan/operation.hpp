// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations: how each block of some arrays is made from regions of others.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/strip_program.hpp"

#include <bitset>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

/// A box of a domain, and the program that computes its elements.
struct piece {
  region where;
  /// Which of the operation's operands the program's operands are.
  std::vector<std::size_t> operands;
  strip_program program;
};

/// Computes each element of the domain; the pieces cover it and do not overlap.
struct map_body {
  std::vector<piece> pieces;
};

/// One fold over the reduced axes.
struct fold_step {
  const fold_kernel* kernel = nullptr;
  kernel_parameters parameters;

  [[nodiscard]] bool operator==(const fold_step&) const = default;
};

/// Whether a fold goes from elements to results, or only part of that way.
enum class fold_phase {
  complete,  ///< elements -> results
  partial,   ///< elements -> the planes of a state for each block of the reduced axes
  combine,   ///< planes of states -> results
};

/// Folds the results of a program over the reduced axes; fold `i` takes the program's result `i`.
///
/// When `phase` is combine, the program only hands on the planes, in the folds' order, and `parts`
/// is the grid of blocks that the states were made from.
struct fold_body {
  strip_program program;
  std::vector<fold_step> folds;
  fold_phase phase = fold_phase::complete;
  chunk_grid parts;
};

/// Sums products of two operands over the one reduced axis, the last of a domain
/// (rows, columns, inner).
struct contraction_body {
  const contraction_kernel* kernel = nullptr;
};

/// How each block of the outputs is made from regions of the inputs.
///
/// An operation walks a `domain`. A task computes one `block` of it, in steps of `stream`. Axes in
/// `reduced` are folded or contracted away: the outputs have the other axes of the domain, in order
/// (a partial fold keeps all axes, a reduced one with one element for each block). Tasks are
/// numbered in row-major order of the grid of blocks.
struct operation {
  std::string name;
  index_vector domain;
  index_vector block;
  index_vector stream;
  std::bitset<max_rank> reduced;
  /// One map from the domain to each input.
  std::vector<index_map> operands;
  std::vector<dtype> outputs;
  std::variant<map_body, fold_body, contraction_body> body;

  /// Returns the grid of tasks over the domain.
  [[nodiscard]] chunk_grid tasks() const;
  /// Returns the block of the domain that task number `task` walks.
  [[nodiscard]] region task_box(index_t task) const;
  [[nodiscard]] index_vector output_shape() const;
  /// Returns the extents of the block of an output that a task makes.
  [[nodiscard]] index_vector output_chunks() const;
  /// Returns the box of the outputs that a task on `box`, a block of the domain, makes.
  [[nodiscard]] region output_region(const region& box) const;
};

}  // namespace tessera
