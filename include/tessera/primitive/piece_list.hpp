// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Pieces of a domain, ordered for a fast search of the pieces that meet a box.

#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// A program that pieces share. A copy refers to the same program.
class shared_program {
 public:
  shared_program(strip_program program)
      : program_(std::make_shared<const strip_program>(std::move(program))) {}

  [[nodiscard]] operator const strip_program&() const { return *program_; }
  [[nodiscard]] const strip_program* operator->() const { return program_.get(); }
  [[nodiscard]] const strip_program* get() const { return program_.get(); }

  [[nodiscard]] bool operator==(const shared_program& rhs) const {
    return program_ == rhs.program_ || *program_ == *rhs.program_;
  }

 private:
  std::shared_ptr<const strip_program> program_;
};

/// A box of a domain, and the program that computes its elements.
struct piece {
  region box;
  /// The number of the operation's operand for each operand of the program.
  std::vector<std::size_t> operands;
  shared_program program;
};

/// Pieces without overlap, in the order of their starts. Neighbours with equal programs share one.
class piece_list {
 public:
  piece_list() = default;
  piece_list(std::vector<piece> pieces);

  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  [[nodiscard]] const piece& front() const { return pieces_.front(); }
  [[nodiscard]] auto begin() const { return pieces_.begin(); }
  [[nodiscard]] auto end() const { return pieces_.end(); }
  [[nodiscard]] const std::vector<piece>& items() const { return pieces_; }

  /// Returns a run of pieces that contains every piece that meets `box`.
  ///
  /// Complexity: O(log n) if pieces lie one behind the other along an axis.
  [[nodiscard]] std::span<const piece> near(const region& box) const;
  /// Returns an upper bound of the pieces that a box of `extents` meets.
  [[nodiscard]] std::size_t most_met(const index_vector& extents) const;

 private:
  std::vector<piece> pieces_;
  /// The axis of the order: the one with the most distinct starts.
  std::size_t axis_ = 0;
  /// For each piece the greatest end along the axis, of it and of the pieces before it.
  std::vector<index_t> reach_;
};

/// An operand of an operation that computes the elements itself, by the pieces of the producer.
struct inlined_operand {
  std::size_t number = 0;
  /// The view by which the operation reads the elements.
  const index_map* map = nullptr;
  const piece_list* producer = nullptr;
  /// The number of the producer's first operand, before inlined operands are removed.
  std::size_t first = 0;
};

/// Returns boxes of `within` whose union is the preimage of `box` under `map`, or nullopt behind a
/// gather or if the boxes are very many.
///
/// If several axes of the domain share an axis of the array, as under sliding windows, the preimage
/// is no box. Then each position with a window across a border of `box` has separate boxes. They
/// are cut along an axis that is not `reduced` if there is one.
///
/// Example: windows (i, k) -> i + k of 3 elements see the first 4 of 6 elements in the boxes
/// (0:2, 0:3), (2:3, 0:2) and (3:4, 0:1).
[[nodiscard]] std::optional<std::vector<region>> preimage(const index_map& map, const region& box,
                                                          const region& within, axis_set reduced);

/// Tells whether the boxes of any two pieces along the kept axes are equal or disjoint, so that
/// each folded element of such a box has the same pieces.
[[nodiscard]] bool fold_evenly(const piece_list& pieces, axis_set reduced);

}  // namespace tessera
