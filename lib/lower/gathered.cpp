// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies through maps that are not affine: tables of indices (take), and reshape.
///
/// Problem: a reshape keeps the row-major order of elements, not their chunks. A block of the
/// result may touch many chunks of the source, and each of these chunks is then read by many tasks:
///
///     source (4, 6) in chunks (2, 3)      result (24) in chunks (6): each reads two chunks,
///     a a a b b b                         a a a b b b | a a a b b b | c c c d d d | c c c d d d
///     a a a b b b                         and each chunk is read twice
///
/// Idea: estimate how many times the copy would read the array, from some of its blocks. If that is
/// more than `most_reads_of_chunk`, copy in the chunks of the layout, and rechunk the copy. If
/// these read too much as well, rechunk the source first, into chunks whose elements are
/// consecutive in row-major order. A copy through a table is always direct.
///
/// Invariant: elements that are generated, or contiguous in memory, are reshaped without a copy.
#include "tessera/expr/layout.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/plan/node.hpp"

#include "core/api/element_count.hpp"
#include "core/api/gather_cursor.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace tessera {
namespace {

/// The most times that a copy may read the array. Beyond, a copy in different chunks is cheaper.
constexpr double most_reads_of_chunk = 3;

/// The number of boxes that are sampled to estimate how often chunks are read.
constexpr index_t most_sampled = 16;

/// Estimates how many times an array in `chunks` is read by a copy through `index_gather` in blocks
/// of `blocks`: bytes read over bytes of the array.
double count_reads(const gather& index_gather, const index_vector& chunks,
                   const index_vector& blocks) {
  const chunk_grid grid(index_gather.domain(), blocks);
  const index_t num_boxes = grid.size();
  const index_t sampled = std::min(num_boxes, most_sampled);
  if (sampled == 0) return 0;
  double reads = 0;
  for (index_t i = 0; i < sampled; ++i) {
    const auto number = static_cast<index_t>(static_cast<double>(num_boxes) *
                                             static_cast<double>(i) / static_cast<double>(sampled));
    const region box = grid.chunk_region(grid.chunk_at(number));
    reads += static_cast<double>(chunks_gathered(index_gather, chunks, box));
  }
  reads *= static_cast<double>(num_boxes) / static_cast<double>(sampled);
  return reads * element_count(chunks) / std::max(1.0, element_count(index_gather.domain()));
}

/// Returns chunks of about as many elements as `chunks`, for an array of `shape`. Along the axes of
/// each factor without a table, their elements are consecutive in row-major order.
index_vector contiguous_chunks(const gather& index_gather, const index_vector& shape,
                               index_vector chunks) {
  std::size_t first = 0;
  for (const gathered_axes& factor : index_gather.factors()) {
    const std::size_t stop = first + factor.read.size();
    index_t count = 1;
    for (std::size_t axis = first; axis < stop; ++axis) count *= chunks[axis];
    for (std::size_t axis = stop; factor.table == nullptr && axis-- > first;) {
      const index_t extent = std::max<index_t>(1, shape[axis]);
      chunks[axis] = std::min(extent, count);
      count = std::max<index_t>(1, count / extent);
    }
    first = stop;
  }
  return chunks;
}

/// Returns `source` reshaped without a copy, or nullptr if a copy is needed. Generated elements and
/// contiguous memory need none.
array_handle reshape_without_copy(std::string_view name, const array_view& source,
                                  const index_vector& shape, const index_vector& chunks,
                                  const gather& index_gather) {
  const array_node& array = *source.array;
  if (index_gather.has_tables() || !source.map.is_identity() ||
      !index_gather.into().is_identity() || index_gather.read() != array.shape) {
    return nullptr;
  }
  if (const auto* generated = std::get_if<generated_source>(&array.source)) {
    return make_generated(name, shape, chunks, *generated->kernel, generated->parameters);
  }
  const auto* memory = std::get_if<memory_source>(&array.source);
  if (memory == nullptr || memory->parts != nullptr) return nullptr;
  if (memory->strides != row_major_strides(array.shape)) return nullptr;
  return std::make_shared<const array_node>(
      array_node{array.type, shape, clip_chunks(chunks, shape), std::string(name),
                 memory_source{memory->owner, memory->data, row_major_strides(shape)}});
}

/// Returns `source`, or a copy if its elements are generated or its map and `map` do not compose.
array_view make_gatherable(const seen_array& source, const index_map& map) {
  const bool is_generated = std::holds_alternative<generated_source>(source.view.array->source);
  if (!is_generated && can_compose(source.view.map, map)) return source.view;
  return whole_of(make_copy("copy", source.shape, source.chunks, source.view));
}

}  // namespace

array_handle make_gathered(std::string_view name, const index_vector& shape,
                           const index_vector& chunks, const index_vector& layout_chunks,
                           const index_map& map, const seen_array& source) {
  if (map.gather() == nullptr) {
    return materialise(name, seen_through(source.view, map), shape, chunks);
  }
  const gather& index_gather = *map.gather();
  if (const array_handle reshaped =
          reshape_without_copy(name, source.view, shape, chunks, index_gather)) {
    return reshaped;
  }
  const index_vector clipped = clip_chunks(chunks, shape);
  array_view view = make_gatherable(source, map);
  const index_vector read = clip_chunks(source.chunks, source.shape);
  if (index_gather.has_tables() ||
      count_reads(index_gather, read, clipped) <= most_reads_of_chunk) {
    return make_copy(name, shape, clipped, seen_through(view, map));
  }
  const index_vector layout_clipped = clip_chunks(layout_chunks, shape);
  if (count_reads(index_gather, read, layout_clipped) > most_reads_of_chunk &&
      index_gather.into().is_identity()) {
    const index_vector rows =
        clip_chunks(contiguous_chunks(index_gather, source.shape, read), source.shape);
    view = whole_of(materialise("rechunk", view, source.shape, rows));
  }
  const array_handle in_layout_chunks =
      make_copy(name, shape, layout_clipped, seen_through(view, map));
  return materialise("rechunk", whole_of(in_layout_chunks), shape, clipped);
}

}  // namespace tessera
