// SPDX-License-Identifier: Apache-2.0
/// \file
/// Changes the extents of arrays.
///
/// A chunk at the edge holds elements beyond the extent, the overhang, whose values are undefined,
/// and an interrupted resize may have left chunks outside the grid. Growth would make them visible.
/// The order of the steps keeps the array valid at any time, with its old shape or its new shape:
///
///   1. before the new shape is written, the growth is cleared: chunks outside the old grid are
///      erased, and the overhang that comes in is set to the fill value
///   2. the metadata get the new shape
///   3. chunks outside the new grid are erased

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/storage/chunk_buffers.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/unfinished_array.hpp"
#include "zarr/array_state.hpp"
#include "zarr/chunk_locks.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/key_eraser.hpp"
#include "zarr/listed_chunks.hpp"
#include "zarr/stored_region.hpp"
#include "zarr/v3/array_metadata.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <vector>

namespace tessera {

namespace detail {

namespace {

using state_pointer = std::shared_ptr<const zarr_array_state>;

/// Returns the state of an array with another shape. Throws shape_error if the shape is not valid.
state_pointer with_shape(const zarr_array_state& array, std::span<const index_t> shape) {
  array.require_writable();
  if (shape.size() != array.metadata.shape.size() ||
      std::any_of(shape.begin(), shape.end(), [](index_t extent) { return extent < 0; })) {
    throw shape_error(
        fmt::format("{}: cannot be resized from {} to {}: the ranks must be equal and "
                    "the extents not negative",
                    array.name(), format_shape(array.metadata.shape), format_shape(shape)));
  }
  auto resized = std::make_shared<zarr_array_state>(array);
  resized->metadata.shape = index_vector(shape);
  resized->metadata.validate();
  resized->grid = chunk_grid(resized->metadata.shape, array.metadata.chunks);
  resized->shards = v3::shards_of(resized->metadata);
  return resized;
}

/// Calls `f` with each chunk of the grid `grid` that is not in the grid `kept`.
template <class F>
void for_each_chunk_outside(const index_vector& grid, const index_vector& kept, F f) {
  // One box per axis a: the chunks beyond `kept` along a, and within `kept` along earlier axes.
  index_vector extents = grid;
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const index_t first = std::min(kept[axis], grid[axis]);
    extents[axis] = grid[axis] - first;
    index_vector position(grid.size());
    const bool has_any = std::find(extents.begin(), extents.end(), 0) == extents.end();
    if (has_any) do {
        index_vector chunk = position;
        chunk[axis] += first;
        f(chunk);
      } while (next_position(position, extents));
    extents[axis] = first;
  }
}

/// Returns the number of chunks of the grid that are not in `kept`, at most the greatest index_t.
index_t num_chunks_outside(const index_vector& grid, const index_vector& kept) {
  index_t num_all = 1;
  index_t num_kept = 1;
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    if (__builtin_mul_overflow(num_all, grid[axis], &num_all)) {
      return std::numeric_limits<index_t>::max();
    }
    num_kept *= std::min(grid[axis], kept[axis]);
  }
  return num_all - num_kept;
}

/// Removes the chunks of `array` outside the grid `kept`.
void erase_chunks_outside(const zarr_array_state& array, const index_vector& kept) {
  const index_vector& grid = array.unit().grid.num_chunks();
  // A few chunks are erased by key; of many, the existing chunks are listed first.
  constexpr index_t most_visited = 4096;
  key_eraser outside(*array.store);
  if (num_chunks_outside(grid, kept) <= most_visited) {
    for_each_chunk_outside(grid, kept, [&](const index_vector& chunk) {
      outside.add(std::string(chunk_key_buffer(array, chunk).view()));
    });
    return outside.finish();
  }
  const auto add_if_outside = [&](const std::string& key, const index_vector& chunk) {
    bool is_inside = true;
    bool is_kept = true;
    for (std::size_t axis = 0; axis < grid.size(); ++axis) {
      is_inside = is_inside && chunk[axis] < grid[axis];
      is_kept = is_kept && chunk[axis] < kept[axis];
    }
    if (is_inside && !is_kept) outside.add(key);
  };
  for_each_listed_chunk(*array.store, array.path, array.metadata, add_if_outside);
  outside.finish();
}

/// The buffers of a call.
struct clearing_buffers {
  std::span<std::byte> decoded;
  std::span<std::byte> encoded;
};

/// Sets the elements of a chunk from `first` on along `axis` to the fill value.
void clear_beyond(const zarr_array_state& array, const index_vector& chunk, std::size_t axis,
                  index_t first, const clearing_buffers& buffers) {
  const chunk_key_buffer key(array, chunk);
  unit_lock lock(array, key.view());
  const stored_unit unit = array.unit();
  const std::span<std::byte> decoded = buffers.decoded.first(unit.decoded_bytes);
  if (!array.load_unit(chunk, decoded, buffers.encoded)) return lock.finish();
  index_vector extents = unit.grid.chunks();
  extents[axis] -= first;
  strided_fill(
      decoded.data() + static_cast<std::size_t>(first * unit.strides[axis]) * array.itemsize,
      unit.strides, extents, array.fill.data(), array.itemsize);
  array.store_decoded(chunk, decoded, buffers.encoded);
  lock.finish();
}

/// Tells whether `larger` has elements from the overhang of `array` along `axis`.
bool brings_in_overhang(const zarr_array_state& array, const zarr_array_state& larger,
                        std::size_t axis) {
  const index_t old = array.metadata.shape[axis];
  return larger.metadata.shape[axis] > old && old % array.unit().grid.chunks()[axis] != 0;
}

/// Makes the elements of `larger` outside `array` fill values.
void clear_growth(const zarr_array_state& array, const zarr_array_state& larger,
                  const clearing_buffers& buffers) {
  const index_vector& old_grid = array.unit().grid.num_chunks();
  const index_vector& chunks = array.unit().grid.chunks();
  erase_chunks_outside(larger, old_grid);
  for (std::size_t axis = 0; axis < array.metadata.shape.size(); ++axis) {
    if (!brings_in_overhang(array, larger, axis)) continue;
    index_vector edge(array.grid.rank());
    for (std::size_t k = 0; k < edge.size(); ++k) {
      edge[k] = std::min(old_grid[k], larger.unit().grid.num_chunks()[k]);
    }
    const index_t last = edge[axis] - 1;
    edge[axis] = 1;
    if (std::find(edge.begin(), edge.end(), 0) != edge.end()) continue;
    index_vector position(edge.size());
    do {
      index_vector chunk = position;
      chunk[axis] = last;
      clear_beyond(array, chunk, axis, array.metadata.shape[axis] % chunks[axis], buffers);
    } while (next_position(position, edge));
  }
}

/// Writes the metadata of `array` to its store.
void write_shape(const zarr_array_state& array) {
  const std::string description = array.metadata.to_json();
  const node_format& format = format_of(array.metadata.format);
  change_metadata(*array.store, array.path, old_node::stays,
                  [&] { format.write_metadata(*array.store, array.path, description); });
}

/// Returns the array as the store has it now: another handle may have changed its extents.
///
/// Throws: zarr_error <- another array has taken its place.
state_pointer as_stored_now(const zarr_array_state& array) {
  const zarr_array stored = zarr_array::open(underlying(array.store), array.path);
  zarr_metadata expected = array.metadata;
  expected.shape = stored.shape();
  if (array.policy.separator) {
    expected.dimension_separator = stored.metadata().dimension_separator;
  }
  if (expected == stored.metadata()) return with_shape(array, stored.shape());
  throw zarr_error(fmt::format(
      "{}: another array has taken its place since it was opened; open it again", array.name()));
}

/// Removes the marks of all earlier runs, which were planned for other extents.
void erase_all_marks(const zarr_array_state& array) {
  const index_vector end(array.grid.rank(), std::numeric_limits<index_t>::max());
  erase_marks(*array.store, array.path, region::whole(end));
}

/// Gives `array` the shape of `resized`, by the steps at the head of this file.
void change_shape(const zarr_array_state& array, const zarr_array_state& resized) {
  std::vector<std::byte> decoded;
  std::vector<std::byte> encoded;
  for (std::size_t axis = 0; axis < array.grid.rank(); ++axis) {
    if (!brings_in_overhang(array, resized, axis)) continue;
    decoded.resize(array.unit().decoded_bytes);
    encoded.resize(array.unit().encoded_bound);
  }
  erase_all_marks(array);
  clear_growth(array, resized, {decoded, encoded});
  write_shape(resized);
  erase_chunks_outside(array, resized.unit().grid.num_chunks());
}

/// Returns the state of an array that is longer along `axis` by the positions in `num_bytes`.
state_pointer with_more(const zarr_array_state& array, std::size_t axis, std::size_t num_bytes) {
  index_vector shape = array.metadata.shape;
  if (axis >= shape.size()) {
    throw shape_error(fmt::format("{}: there is no axis {} to append along in an array of shape {}",
                                  array.name(), axis, format_shape(shape)));
  }
  shape[axis] = 1;
  const auto position = static_cast<std::size_t>(num_elements(shape)) * array.itemsize;
  if (position == 0 ? num_bytes != 0 : num_bytes % position != 0) {
    throw shape_error(
        fmt::format("{}: {} B are no whole number of positions along axis {}, each "
                    "of which has {} B",
                    array.name(), num_bytes, axis, position));
  }
  const std::size_t count = position == 0 ? 0 : num_bytes / position;
  shape[axis] = array.metadata.shape[axis] + static_cast<index_t>(count);
  return with_shape(array, shape);
}

}  // namespace
}  // namespace detail

zarr_array zarr_array::resize(std::span<const index_t> shape) const {
  static_cast<void>(detail::with_shape(*state_, shape));
  detail::state_pointer resized;
  detail::change_alone(*store(), path(), "resize", [&] {
    detail::refuse_unfinished(*detail::underlying(store()), path(), "resize");
    const detail::state_pointer now = detail::as_stored_now(*state_);
    resized = detail::with_shape(*now, shape);
    detail::change_shape(*now, *resized);
  });
  return zarr_array(resized);
}

zarr_array zarr_array::with_shape(std::span<const index_t> shape) const {
  return zarr_array(detail::with_shape(*state_, shape));
}

void zarr_array::write_shape() const { detail::write_shape(*state_); }

zarr_array zarr_array::append(std::size_t axis, std::span<const std::byte> data,
                              std::span<std::byte> decoded, std::span<std::byte> encoded) const {
  static_cast<void>(detail::with_more(*state_, axis, data.size()));
  detail::require_buffer(*state_, "decoded", decoded.size(), decoded_bytes());
  std::vector<std::byte> memory;
  if (state_->shards != nullptr) {
    memory.resize(shard_bytes() + shard_bound());
    decoded = std::span(memory).first(shard_bytes());
    encoded = std::span(memory).subspan(shard_bytes());
  }
  std::optional<zarr_array> result;
  detail::change_alone(*store(), path(), "append to", [&] {
    detail::refuse_unfinished(*detail::underlying(store()), path(), "append to");
    const detail::state_pointer now = detail::as_stored_now(*state_);
    const detail::state_pointer longer = detail::with_more(*now, axis, data.size());
    detail::erase_all_marks(*now);
    detail::clear_growth(*now, *longer, {decoded, encoded});
    result = zarr_array(longer);
    region box = region::whole(longer->metadata.shape);
    box.start[axis] = now->metadata.shape[axis];
    result->write_region(box, data, decoded, encoded);
    detail::write_shape(*longer);
  });
  return *std::move(result);
}

}  // namespace tessera
