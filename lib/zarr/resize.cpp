// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arrays that change their extents.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/zarr/chunk_buffers.hpp"
#include "tessera/zarr/hierarchy.hpp"

#include "zarr/array_state.hpp"
#include "zarr/chunk_locks.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/stored_region.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace tessera {

namespace detail {

namespace {

using state_pointer = std::shared_ptr<const zarr_array_state>;

/// Returns what an array is once it has another shape.
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
  return resized;
}

/// Returns the chunk that `name`, a key without the array's path, is of; nothing if it is none.
std::optional<index_vector> chunk_named(std::string_view name, char separator, std::size_t rank) {
  index_vector chunk;
  while (chunk.size() < rank) {
    index_t index = -1;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
    const auto length = static_cast<std::size_t>(end - name.data());
    if (failure != std::errc{} || index < 0 || (length > 1 && name[0] == '0')) return std::nullopt;
    chunk.push_back(index);
    name.remove_prefix(length);
    if (chunk.size() == rank) break;
    if (name.empty() || name[0] != separator) return std::nullopt;
    name.remove_prefix(1);
  }
  return name.empty() ? std::optional(chunk) : std::nullopt;
}

/// Calls `f` with each chunk of the grid `all` that is not in the grid `kept`.
template <class F>
void for_each_chunk_outside(const index_vector& all, const index_vector& kept, F f) {
  // Along each axis in turn: what lies beyond `kept` there, and before it along the axes before.
  index_vector extents = all;
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    const index_t first = std::min(kept[axis], all[axis]);
    extents[axis] = all[axis] - first;
    index_vector position(all.size());
    const bool has_any = std::find(extents.begin(), extents.end(), 0) == extents.end();
    if (has_any) do {
        index_vector chunk = position;
        chunk[axis] += first;
        f(chunk);
      } while (next_position(position, extents));
    extents[axis] = first;
  }
}

/// Returns the number of chunks of `all` that are not in `kept`, or the greatest number.
index_t num_chunks_outside(const index_vector& all, const index_vector& kept) {
  index_t num_all = 1;
  index_t num_kept = 1;
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    if (__builtin_mul_overflow(num_all, all[axis], &num_all)) {
      return std::numeric_limits<index_t>::max();
    }
    num_kept *= std::min(all[axis], kept[axis]);
  }
  return num_all - num_kept;
}

/// Removes the chunks of `array` that the grid `kept` has not.
void erase_chunks_outside(const zarr_array_state& array, const index_vector& kept) {
  const index_vector& all = array.grid.num_chunks();
  // A few are asked for one by one; for many it is better to see which of them exist.
  constexpr index_t few = 4096;
  const auto erase = [&](const index_vector& chunk) {
    array.store->erase(chunk_key_buffer(array, chunk).view());
  };
  if (num_chunks_outside(all, kept) <= few) return for_each_chunk_outside(all, kept, erase);
  for (const std::string& key : array.store->list(array.path)) {
    std::string_view name = key;
    if (!array.path.empty()) name.remove_prefix(array.path.size() + 1);
    const auto chunk = chunk_named(name, array.metadata.dimension_separator, all.size());
    if (!chunk) continue;
    bool is_inside = true;
    bool is_kept = true;
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
      is_inside = is_inside && (*chunk)[axis] < all[axis];
      is_kept = is_kept && (*chunk)[axis] < kept[axis];
    }
    if (is_inside && !is_kept) erase(*chunk);
  }
}

/// The buffers of a call.
struct workspace {
  std::span<std::byte> decoded;
  std::span<std::byte> encoded;
};

/// Makes what a chunk holds from `first` on along `axis` the fill value.
void clear_beyond(const zarr_array_state& array, const index_vector& chunk, std::size_t axis,
                  index_t first, const workspace& buffers) {
  const std::lock_guard lock(
      lock_of_chunk(array.store->name(), chunk_key_buffer(array, chunk).view()));
  const std::span<std::byte> decoded = buffers.decoded.first(array.decoded_bytes);
  if (!array.load(chunk, decoded, buffers.encoded)) return;
  index_vector extents = array.metadata.chunks;
  extents[axis] -= first;
  strided_fill(
      decoded.data() + static_cast<std::size_t>(first * array.chunk_strides[axis]) * array.itemsize,
      array.chunk_strides, extents, array.fill.data(), array.itemsize);
  array.store_decoded(chunk, decoded, buffers.encoded);
}

/// Tells whether what chunks hold beyond the end of `array` along `axis` comes in with `larger`.
bool brings_in_overhang(const zarr_array_state& array, const zarr_array_state& larger,
                        std::size_t axis) {
  const index_t old = array.metadata.shape[axis];
  return larger.metadata.shape[axis] > old && old % array.metadata.chunks[axis] != 0;
}

/// Makes sure that what `larger` has and `array` has not is fill values: what chunks at the edge
/// hold beyond it may be anything, and a resize that died may have left chunks behind.
void clear_growth(const zarr_array_state& array, const zarr_array_state& larger,
                  const workspace& buffers) {
  erase_chunks_outside(larger, array.grid.num_chunks());
  for (std::size_t axis = 0; axis < array.metadata.shape.size(); ++axis) {
    if (!brings_in_overhang(array, larger, axis)) continue;
    index_vector edge(array.grid.rank());
    for (std::size_t k = 0; k < edge.size(); ++k) {
      edge[k] = std::min(array.grid.num_chunks()[k], larger.grid.num_chunks()[k]);
    }
    const index_t last = edge[axis] - 1;
    edge[axis] = 1;
    if (std::find(edge.begin(), edge.end(), 0) != edge.end()) continue;
    index_vector position(edge.size());
    do {
      index_vector chunk = position;
      chunk[axis] = last;
      clear_beyond(array, chunk, axis, array.metadata.shape[axis] % array.metadata.chunks[axis],
                   buffers);
    } while (next_position(position, edge));
  }
}

/// Makes the shape of `array` what its metadata say.
void write_shape(const zarr_array_state& array) {
  const std::string description = array.metadata.to_json();
  change_metadata(*array.store, array.path, old_node::stays,
                  [&] { write_text(*array.store, node_key(array.path, ".zarray"), description); });
}

/// Returns the array as the store has it now: another handle may have changed its extents.
///
/// Throws: zarr_error <- another array has taken its place.
state_pointer as_stored_now(const zarr_array_state& array) {
  const zarr_array found = zarr_array::open(underlying(array.store), array.path);
  zarr_metadata expected = array.metadata;
  expected.shape = found.shape();
  if (array.policy.separator) {
    expected.dimension_separator = found.metadata().dimension_separator;
  }
  if (expected == found.metadata()) return with_shape(array, found.shape());
  throw zarr_error(fmt::format(
      "{}: another array has taken its place since it was opened; open it again", array.name()));
}

/// Removes the marks of all earlier runs, which found other extents.
void erase_all_marks(const zarr_array_state& array) {
  const index_vector end(array.grid.rank(), std::numeric_limits<index_t>::max());
  erase_marks(*array.store, array.path, region::whole(end));
}

/// Makes `array` what `resized` is. The array has its old or its new shape at any time, and holds
/// the right elements for that.
void change_shape(const zarr_array_state& array, const zarr_array_state& resized) {
  std::vector<std::byte> decoded;
  std::vector<std::byte> encoded;
  for (std::size_t axis = 0; axis < array.grid.rank(); ++axis) {
    if (!brings_in_overhang(array, resized, axis)) continue;
    decoded.resize(array.decoded_bytes);
    encoded.resize(array.encoded_bound);
  }
  erase_all_marks(array);
  clear_growth(array, resized, {decoded, encoded});
  write_shape(resized);
  erase_chunks_outside(array, resized.grid.num_chunks());
}

/// Returns what an array is with as many positions more along `axis` as `num_bytes` hold.
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
  std::optional<zarr_array> result;
  detail::change_alone(*store(), path(), "append to", [&] {
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
