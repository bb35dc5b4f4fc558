// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Pieces of a domain, in an order in which those that a box meets are found quickly.

#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tessera {

/// A box of a domain, and the program that computes its elements.
struct piece {
  region where;
  /// Which of the operation's operands the program's operands are.
  std::vector<std::size_t> operands;
  strip_program program;
};

/// Pieces that do not overlap, in the order in which they begin.
class piece_list {
 public:
  piece_list() = default;
  piece_list(std::vector<piece> pieces);

  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  [[nodiscard]] const piece& front() const { return pieces_.front(); }
  [[nodiscard]] auto begin() const { return pieces_.begin(); }
  [[nodiscard]] auto end() const { return pieces_.end(); }
  [[nodiscard]] const std::vector<piece>& all() const { return pieces_; }

  /// Returns some of the pieces, in order, with all that `box` meets among them.
  ///
  /// Complexity: O(log n), where pieces lie one behind the other along an axis.
  [[nodiscard]] std::span<const piece> near(const region& box) const;
  /// Returns how many pieces a box of `extents` meets at most, or more.
  [[nodiscard]] std::size_t most_met(const index_vector& extents) const;

 private:
  std::vector<piece> pieces_;
  /// The axis along which most of them begin apart: they are in its order.
  std::size_t axis_ = 0;
  /// Up to each piece, how far along it those before and itself reach.
  std::vector<index_t> reach_;
};

/// Returns boxes of `within` that together are what `map` leads into `box`; none behind a gather,
/// or where they would be very many.
///
/// Where an axis of the array is that of several of the domain, as under sliding windows, no one
/// box is: then positions whose windows cross a border of `box` each have boxes of their own, along
/// an axis that is not `reduced` where there is one.
///
/// Example: of windows (i, k) -> i + k, 3 elements long, what sees no more than the first 4 of 6
/// elements are the boxes (0:2, 0:3), (2:3, 0:2), and (3:4, 0:1).
[[nodiscard]] std::optional<std::vector<region>> preimage(const index_map& map, const region& box,
                                                          const region& within, axis_set reduced);

/// Tells whether pieces of a domain go on in the same way in all that are folded into one element:
/// those that keep a same element keep the same ones.
[[nodiscard]] bool fold_evenly(const piece_list& pieces, axis_set reduced);

}  // namespace tessera
