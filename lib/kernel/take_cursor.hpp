// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The indices of a block, and their elements in a step's part of the array.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/taking_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::detail {

/// The positions of a block of the result whose indices select elements of one step of the array.
///
/// A taking kernel reads the array in steps, and each step is read once. The first call sorts all
/// positions by the step of their element (a counting sort), into the workspace of the task:
///     indices  7 1 5 0 6   steps of 4 elements: order [1 3 | 0 2 4], starts [0 2 5]
/// Later calls read the range of their step.
class take_cursor {
 public:
  /// Requires: the block has elements. Throws: shape_error <- an index is out of range.
  take_cursor(const block_call& call, const taken_elements& spec);

  /// Returns the bytes of the order of `num_entries` indices over `num_steps` steps.
  [[nodiscard]] static std::size_t workspace(index_t num_entries, index_t num_steps,
                                             std::size_t num_axes);

  /// Writes the offsets of the next positions in the block, and of their elements in the step's
  /// part, in bytes from the first elements. Returns their number, 0 at the end.
  [[nodiscard]] std::size_t next(std::span<index_t> to, std::span<index_t> from);

 private:
  /// Goes to the index of number `entry` in row-major order, and to its element of the array.
  void seek(index_t entry);
  void begin_row(index_t row);
  [[nodiscard]] const std::byte* data_of_index(std::size_t operand) const;
  /// Returns the index, counted from the first, of an operand.
  [[nodiscard]] index_t checked(std::size_t operand, index_t extent) const;
  [[noreturn]] void refuse(std::size_t operand, index_t given, index_t extent) const;
  /// Limits the entries to the step that begins at `start`, by the order of all entries in the
  /// workspace. The first step sorts them.
  void go_to_step(const index_vector& start);
  /// Sorts all indices by step, and writes the start of each step.
  void put_in_order(std::span<index_t> starts);
  [[nodiscard]] index_t entry_at(index_t i) const {
    if (long_order_ != nullptr) return long_order_[i];
    return order_ != nullptr ? static_cast<index_t>(order_[i]) : i;
  }

  const block_call& call_;
  const taken_elements& spec_;
  index_vector listed_;
  index_t num_entries_ = 1;
  /// The extent, the length of a step and the number of steps of each indexed axis.
  index_vector extents_;
  index_vector lengths_;
  index_vector steps_;
  /// The order of the indices; null for all of them, as they come.
  std::uint32_t* order_ = nullptr;
  index_t* long_order_ = nullptr;
  index_t at_ = 0;
  index_t end_ = 0;

  /// The offset of the current row of indices in the result, the array or an operand of indices,
  /// and the stride between its entries.
  struct row_cursor {
    index_t first = 0;
    index_t stride = 0;
  };
  index_t row_length_ = 1;
  index_t row_start_ = -1;
  index_t column_ = 0;
  row_cursor to_;
  row_cursor from_;
  std::vector<row_cursor> indices_;
  /// The element's position along the indexed axes.
  index_vector element_;
};

}  // namespace tessera::detail
