// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations that are being made, and their operands.

#include "tessera/core/bytes.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/primitive/blocks.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The operands of an operation that is being made: each array in each map once.
class operand_list {
 public:
  /// Returns the piece that computes `where` by `sources`, a result for each, whose operands join
  /// the list.
  [[nodiscard]] piece add_piece(const region& where, std::span<const strip_source> sources);
  [[nodiscard]] piece add_piece(const region& where, const strip_source& source) {
    return add_piece(where, {&source, 1});
  }

  [[nodiscard]] std::vector<index_map> maps() const;
  [[nodiscard]] std::vector<array_handle> arrays() const;

 private:
  std::size_t add(const array_view& view);

  std::vector<array_view> operands_;
};

/// Returns the first array of those, of `shape`, that `what` makes of `inputs`.
[[nodiscard]] array_handle array_made_by(operation what, std::vector<array_handle> inputs,
                                         index_vector shape, index_vector chunks);

/// Returns all that `what` makes of `inputs`, each in chunks of `chunks`, one list for each.
[[nodiscard]] std::vector<array_handle> arrays_made_by(operation what,
                                                       std::vector<array_handle> inputs,
                                                       const std::vector<index_vector>& chunks);

/// Returns the map that leads along the axes `axes` of a domain of rank `rank`.
[[nodiscard]] index_map along(std::size_t rank, const std::vector<std::size_t>& axes);
/// Returns how a kernel of blocks sees what goes along `axes`.
[[nodiscard]] std::vector<block_axis> seen_along(const std::vector<std::size_t>& axes);

/// Return what arrays laid out like `of` keep to, and the memory that a task may use then.
[[nodiscard]] spec limits_of(const array_layout& of);
[[nodiscard]] bytes memory_of_task(const spec& limits);

/// Returns what reading a chunk of so many bytes takes, or writing one: it, its encoding, and an
/// encoder's memory.
[[nodiscard]] double memory_to_move(double chunk);
/// Returns the bytes of elements of `type`.
[[nodiscard]] double bytes_in(const index_vector& extents, dtype type);

/// Returns the dtype that `source` computes.
[[nodiscard]] dtype result_dtype(const strip_source& source);

/// Returns what plans call the operation that computes `program`: its text where that is short,
/// `fallback` otherwise.
[[nodiscard]] std::string map_name(std::string_view fallback, const strip_program& program,
                                   const operand_list& operands);

}  // namespace tessera
