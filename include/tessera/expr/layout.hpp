// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The layout of a node's array at run time: extents, chunks, spec and names; and the rules that
/// make the layout of a node from those of its operands.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/shared_state.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/expr/axis_names.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace tessera {

/// Extents, chunks, spec and names of an array.
///
/// Each chunk is at least 1 and at most the extent. The spec is null if none was given: such arrays
/// follow those that they are computed with.
///
/// An axis keeps its name while it keeps its extent, through every function; if the extent changes,
/// the name is dropped. Operands with the axis's extent must agree on the name, as far as they name
/// the axis; else it has no name. (xarray would compute something else then; a name that is missing
/// is seen, one that is wrong is not.)
struct array_layout {
  index_vector shape;
  index_vector chunks;
  std::shared_ptr<const tessera::spec> spec;
  /// Whether the library chose the chunks; those that a user or a file chose go before.
  bool is_automatic = false;
  axis_names names = {};
};

/// The most bytes of a chunk that the library chooses.
inline constexpr std::uint64_t automatic_chunk_bytes = 100'000'000;

/// The layouts of the operands of a node; null for scalars.
using operand_layouts = std::span<const array_layout* const>;

/// Returns the spec that the operands share; null if none has one.
///
/// Throws: value_error <- two operands have specs that differ.
[[nodiscard]] std::shared_ptr<const spec> common_spec(std::string_view function,
                                                      operand_layouts operands);

/// Throws shape_error if an array of `shape` has more than 2^63 - 1 elements.
void require_countable(std::string_view function, const index_vector& shape);

/// Returns `chunks` with each at least 1 and at most its extent, or 1 for an extent of zero.
[[nodiscard]] index_vector clip_chunks(index_vector chunks, const index_vector& shape);

/// Returns the layout of an elementwise function of `operands`.
///
/// Shape:  broadcast as NumPy does.
/// Chunks: those of the operand whose chunk holds the most elements, the first of several; axes
///         that it is broadcast over have the greatest chunk of the other operands. Automatic
///         chunks count only if all are; along the axes of such ones, chunks are cut until they
///         hold at most 100 MB and a tenth of the allowed memory for elements of 8 bytes. A chunk
///         of more than 2^22 elements, and of more than each operand has, is halved along its
///         longest axis until it has no more.
/// Throws: shape_error <- extents differ and neither is 1, or as `require_countable`.
///         value_error <- as `common_spec`.
[[nodiscard]] array_layout broadcast_layout(std::string_view function, operand_layouts operands);

/// Returns the shape that `a` and `b` broadcast to. Throws: shape_error <- they do not.
[[nodiscard]] index_vector broadcast_shapes(std::string_view function, const index_vector& a,
                                            const index_vector& b);

/// Returns the map from indices of a broadcast array of `to` to those of an array of `from`.
[[nodiscard]] index_map broadcast_map(const index_vector& from, const index_vector& to);

/// Returns the layout without the axes in `reduced`, and with axes of the extents `extra_axes` in
/// the place of the first of them. Each is one chunk, or several of at most 2^22 elements if a
/// chunk of `of` has no more. Throws: shape_error <- as `require_countable`: the result of an array
/// without elements may have any number of them.
[[nodiscard]] array_layout reduced_layout(std::string_view function, const array_layout& of,
                                          axis_mask reduced,
                                          std::span<const index_t> extra_axes = {});

/// Returns an axis counted from the first. Throws: shape_error <- it is not in `[-rank, rank)`.
[[nodiscard]] std::size_t checked_axis(std::string_view function, int axis, std::size_t rank);

/// Throws shape_error if `number` elements, or the negative of it, cannot be kept of the one axis
/// that is reduced.
void require_state_length(std::string_view function, const array_layout& of, axis_mask reduced,
                          index_t number);

/// Throws shape_error if a number of groups is below 1, or if there are more than 2^40.
void require_groups(std::string_view function, std::span<const index_t> counts);

/// Returns the layout in other chunks, of which each is cut to its extent.
[[nodiscard]] array_layout rechunked_layout(const array_layout& of, const index_vector& chunks);

/// Throws shape_error if an axis in `reduced` has extent zero, for functions without identity.
void require_elements(std::string_view function, const array_layout& of, axis_mask reduced);

/// Throws value_error if a window of `length` elements has none, shape_error if it is longer than
/// the axis.
void require_window(std::string_view function, const array_layout& of, std::size_t axis,
                    index_t length);

/// Returns the layout of arrays joined along `axis`.
///
/// Chunks: those of the array whose chunk holds the most elements.
/// Throws: shape_error <- extents differ on another axis, or as `require_countable`. value_error <-
/// as `common_spec`.
[[nodiscard]] array_layout concat_layout(operand_layouts operands, std::size_t axis);

/// Returns the layout of arrays joined along a new axis, in front of `axis`, of chunk 1.
///
/// Throws: shape_error <- shapes differ, or as `require_countable`. value_error <- as
/// `common_spec`.
[[nodiscard]] array_layout stack_layout(operand_layouts operands, std::size_t axis);

/// Returns the layout of an array seen through `map`, a map from `shape` to `of`.
///
/// Chunks: those of the array over the step of the map; 1 for new axes; for broadcast ones as long
///         as a chunk stays small.
[[nodiscard]] array_layout view_layout(const array_layout& of, const index_map& map,
                                       const index_vector& shape);

namespace detail {

/// Returns a layout that copies of an expression share.
[[nodiscard]] shared_state<array_layout> shared(array_layout layout);

}  // namespace detail

}  // namespace tessera
