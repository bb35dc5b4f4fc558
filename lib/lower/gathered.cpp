// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/gather_walk.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/lower/nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace tessera {
namespace {

/// An array in other chunks is a copy: that reads once, and writes.
constexpr double most_reads = 3;

/// So many boxes tell how often chunks are read.
constexpr index_t most_sampled = 16;

double product_of(const index_vector& extents) {
  double product = 1;
  for (const index_t extent : extents) product *= static_cast<double>(extent);
  return product;
}

/// Returns how often an array in `chunks` is read where `behind` shows it in `made` chunks.
double reads_of(const gather& behind, const index_vector& chunks, const index_vector& made) {
  const chunk_grid grid(behind.seen(), made);
  const index_t num_boxes = grid.size();
  const index_t sampled = std::min(num_boxes, most_sampled);
  if (sampled == 0) return 0;
  double reads = 0;
  for (index_t i = 0; i < sampled; ++i) {
    const auto number = static_cast<index_t>(static_cast<double>(num_boxes) *
                                             static_cast<double>(i) / static_cast<double>(sampled));
    const region box = grid.chunk_region(grid.chunk_at(number));
    reads += static_cast<double>(chunks_gathered(behind, chunks, box));
  }
  reads *= static_cast<double>(num_boxes) / static_cast<double>(sampled);
  return reads * product_of(chunks) / std::max(1.0, product_of(behind.seen()));
}

/// Returns the chunks of an array of `shape` whose elements follow each other along the axes that a
/// part without a table reads, as many as in `chunks`.
index_vector in_order(const gather& behind, const index_vector& shape, index_vector chunks) {
  std::size_t first = 0;
  for (const gathered_axes& factor : behind.factors()) {
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

/// Returns `from` with other axes where that takes no copy: elements that are generated, or that
/// lie side by side in memory; null where it does.
array_handle with_other_axes(std::string_view name, const array_view& from,
                             const index_vector& shape, const index_vector& chunks,
                             const gather& behind) {
  const array_node& array = *from.array;
  if (behind.has_tables() || !from.map.is_identity() || !behind.into().is_identity() ||
      behind.read() != array.shape) {
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

/// Returns `from` as an array whose elements are somewhere, and which a gather can be led through.
array_view gatherable(const seen_array& from, const index_map& map) {
  const bool is_generated = std::holds_alternative<generated_source>(from.view.array->source);
  if (!is_generated && can_compose(from.view.map, map)) return from.view;
  return whole_of(make_copy("copy", from.shape, from.chunks, from.view));
}

}  // namespace

array_handle make_gathered(std::string_view name, const index_vector& shape,
                           const index_vector& chunks, const index_vector& own_chunks,
                           const index_map& map, const seen_array& from) {
  if (map.behind() == nullptr)
    return materialise(name, seen_through(from.view, map), shape, chunks);
  const gather& behind = *map.behind();
  if (const array_handle made = with_other_axes(name, from.view, shape, chunks, behind)) {
    return made;
  }
  const index_vector clipped = clip_chunks(chunks, shape);
  array_view seen = gatherable(from, map);
  const index_vector read = clip_chunks(from.chunks, from.shape);
  if (behind.has_tables() || reads_of(behind, read, clipped) <= most_reads) {
    return make_copy(name, shape, clipped, seen_through(seen, map));
  }
  const index_vector own = clip_chunks(own_chunks, shape);
  if (reads_of(behind, read, own) > most_reads && behind.into().is_identity()) {
    const index_vector rows = clip_chunks(in_order(behind, from.shape, read), from.shape);
    seen = whole_of(materialise("rechunk", seen, from.shape, rows));
  }
  const array_handle in_own = make_copy(name, shape, own, seen_through(seen, map));
  return materialise("rechunk", whole_of(in_own), shape, clipped);
}

}  // namespace tessera
