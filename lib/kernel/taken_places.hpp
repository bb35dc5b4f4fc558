// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The indices of a block, and where they lead in what a step sees of the array.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/taking.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::detail {

/// The places, of a block of the result, whose indices lead into the part of the array that a call
/// of a taking kernel sees.
///
/// The first call puts all places in the order of the steps that they lead into, in the workspace,
/// where later ones find them.
class taken_places {
 public:
  /// Requires: the block has elements. Throws: shape_error <- an index is out of range.
  taken_places(const block_call& call, const taken_elements& taken);

  /// Returns the bytes that the order of so many indices over so many steps takes.
  [[nodiscard]] static std::size_t workspace(index_t num_entries, index_t num_steps,
                                             std::size_t num_axes);

  /// Writes where the next places are in the block, and what they lead to in the part that is seen,
  /// in bytes behind the first elements; returns how many, 0 behind the last.
  [[nodiscard]] std::size_t next(std::span<index_t> to, std::span<index_t> from);

 private:
  /// Goes to an index, of which `entry` is the number in row-major order, and to the element of the
  /// array that it leads to.
  void seek(index_t entry);
  void begin_row(index_t row);
  [[nodiscard]] const std::byte* data_of_index(std::size_t operand) const;
  /// Returns the index, counted from the first, of an operand.
  [[nodiscard]] index_t checked(std::size_t operand, index_t extent) const;
  [[noreturn]] void refuse(std::size_t operand, index_t given, index_t extent) const;
  /// Puts all indices in the order of the steps, and writes where those of each begin.
  void put_in_order(std::span<index_t> starts);
  [[nodiscard]] index_t entry_at(index_t i) const {
    if (long_order_ != nullptr) return long_order_[i];
    return order_ != nullptr ? static_cast<index_t>(order_[i]) : i;
  }

  const block_call& call_;
  const taken_elements& taken_;
  index_vector listed_;
  index_t num_entries_ = 1;
  /// Of each axis that indices are along its extent, the length of a step, and how many there are.
  index_vector extents_;
  index_vector lengths_;
  index_vector steps_;
  /// The order of the indices; null for all of them, as they come.
  std::uint32_t* order_ = nullptr;
  index_t* long_order_ = nullptr;
  index_t at_ = 0;
  index_t end_ = 0;

  /// The row of indices that `seek` is in: where it begins in the result, in the array, and in each
  /// operand of indices; and how far it is from one to the next.
  struct row_walk {
    index_t first = 0;
    index_t stride = 0;
  };
  index_t row_length_ = 1;
  index_t row_start_ = -1;
  index_t column_ = 0;
  row_walk to_;
  row_walk from_;
  std::vector<row_walk> indices_;
  /// Where the element is along the axes that indices are along.
  index_vector element_;
};

}  // namespace tessera::detail
