// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Helpers of lowering: the operands of a new operation, and the arrays that it computes.

#include "tessera/core/bytes.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/plan/node.hpp"

#include "primitive/api/block_function.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The operands of a new operation, without duplicates: a pair (array, map) is listed once.
class operand_list {
 public:
  /// Returns the piece that computes `sources` over `box`. Their operands join the list.
  [[nodiscard]] piece add_piece(const region& box, std::span<const strip_source> sources);
  [[nodiscard]] piece add_piece(const region& box, const strip_source& source) {
    return add_piece(box, {&source, 1});
  }

  [[nodiscard]] std::vector<index_map> maps() const;
  [[nodiscard]] std::vector<array_handle> arrays() const;

 private:
  std::size_t add(const array_view& view);

  std::vector<array_view> operands_;
};

/// Returns the first output of `op` on `inputs`, an array of `shape`. Sets `op.outputs`.
[[nodiscard]] array_handle make_output_array(operation op, std::vector<array_handle> inputs,
                                             index_vector shape, index_vector chunks);

/// Returns the outputs of `op` on `inputs`: output `i` in chunks of `chunks[i]`.
[[nodiscard]] std::vector<array_handle> make_output_arrays(operation op,
                                                           std::vector<array_handle> inputs,
                                                           const std::vector<index_vector>& chunks);

/// Returns the map from a domain of `rank` to an array whose axis `k` is domain axis `axes[k]`.
[[nodiscard]] index_map map_along(std::size_t rank, const std::vector<std::size_t>& axes);
/// Returns the axes of a block kernel's operand that goes along `axes` of the domain.
[[nodiscard]] std::vector<block_axis> block_axes_along(const std::vector<std::size_t>& axes);

/// Returns the spec of `layout`, or the default spec if it has none.
[[nodiscard]] spec spec_of_layout(const array_layout& layout);
[[nodiscard]] bytes task_memory(const spec& limits);

/// Returns the bytes of memory to read or write a chunk of `chunk` bytes: the chunk, its encoding
/// and the encoder's workspace.
[[nodiscard]] double transfer_memory(double chunk);
/// Returns the bytes of a block of `extents` elements of `type`.
[[nodiscard]] double byte_size(const index_vector& extents, dtype type);

/// Returns the dtype of the elements of `source`.
[[nodiscard]] dtype result_dtype(const strip_source& source);

/// Returns the name of the operation of `program`: its formula if that is short, or `fallback`.
[[nodiscard]] std::string map_name(std::string_view fallback, const strip_program& program,
                                   const operand_list& operands);

}  // namespace tessera
