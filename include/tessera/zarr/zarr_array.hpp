// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A Zarr array in a store: reads and writes whole chunks and boxes of elements, and resizes.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/region.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/storage/chunk_policy.hpp"
#include "tessera/storage/existing.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

namespace detail {
struct zarr_array_state;
class zarr_destination_port;
}  // namespace detail

/// A handle on an array in a store: cheap to copy, never changes once it is open.
///
/// Thread safety: every function may be called from any number of threads at once, as long as no
/// two of them write the same element and none resizes the array meanwhile. `write_chunk` is a
/// write of all of its chunk's elements; calls of `write_region` may share chunks within a process.
///
/// Memory: reading and writing chunks allocates nothing but `codec_workspace()`; the caller brings
/// each buffer, for example those of a `chunk_buffers`:
///  - `decoded`: one whole chunk, at least `decoded_bytes()`
///  - `encoded`: one chunk as it is stored, at least `encoded_bound()`; 0 without a compressor
///
/// Every error of the functions below that read or write names the store and the key.
class zarr_array {
 public:
  /// Opens the array at `path` in `store`; "" is the store itself.
  ///
  /// Throws: zarr_error <- no array is there, or its metadata is malformed or not supported.
  [[nodiscard]] static zarr_array open(std::shared_ptr<key_value_store> store,
                                       std::string_view path);

  /// Opens the array at `path`, see `locate`. Its store is the outermost folder above it whose
  /// name ends in ".zarr", or the outermost one from which groups lead to it, or itself.
  [[nodiscard]] static zarr_array open(const std::string& path);

  /// Creates an array without chunks at `path` in `store`, and the groups that lead to it.
  ///
  /// Filters that leave their dtype open are given that of the array.
  /// Throws: zarr_error <- `metadata` is not valid, a group is at `path` or nodes are below it, an
  ///         array is above it, or one is at `path` and `policy` keeps it.
  [[nodiscard]] static zarr_array create(std::shared_ptr<key_value_store> store,
                                         std::string_view path, const zarr_metadata& metadata,
                                         const tessera::attributes& attributes = {},
                                         existing policy = existing::keep);

  /// Creates an array at `path`, in a store that is found as `open` does.
  [[nodiscard]] static zarr_array create(const std::string& path, const zarr_metadata& metadata,
                                         const tessera::attributes& attributes = {},
                                         existing policy = existing::keep);

  /// Returns a handle on the same array that follows another policy; the default is that of
  /// `chunk_policy`. Throws: value_error <- the separator is neither '.' nor '/'.
  [[nodiscard]] zarr_array with(const chunk_policy& policy) const;
  [[nodiscard]] const chunk_policy& policy() const;

  /// Returns the field `name` of an array of records as an array of its own, which can be read and
  /// not written. An array in a field adds its axes behind the others, each in one chunk.
  ///
  /// Memory: `encoded_bound()` of the field counts a chunk of whole records as well.
  /// Throws: zarr_error <- the elements are no records, or there is no such field.
  [[nodiscard]] zarr_array field(std::string_view name) const;

  /// Returns the names by which `field` led here from the array of records, the outermost first;
  /// none for an array that is stored as it is.
  [[nodiscard]] const std::vector<std::string>& field_path() const;

  [[nodiscard]] const zarr_metadata& metadata() const;
  [[nodiscard]] const tessera::attributes& attributes() const;
  /// Returns the dtype of an array of numbers.
  ///
  /// Throws: dtype_error <- the elements are no numbers; `metadata().dtype` is their type.
  [[nodiscard]] tessera::dtype dtype() const;
  /// Returns the bytes of an element.
  [[nodiscard]] std::size_t itemsize() const { return metadata().dtype.itemsize(); }
  [[nodiscard]] const index_vector& shape() const { return metadata().shape; }
  [[nodiscard]] const index_vector& chunks() const { return metadata().chunks; }
  [[nodiscard]] std::size_t rank() const { return shape().size(); }
  [[nodiscard]] const chunk_grid& grid() const;
  /// Returns the extents of a shard, which is written whole and stored under one key; without
  /// shards, of a chunk.
  [[nodiscard]] const index_vector& shards() const;
  /// Returns the grid of shards; without them, the grid of chunks.
  [[nodiscard]] const chunk_grid& shard_grid() const;
  /// Returns the names of the dimensions, of the attribute `_ARRAY_DIMENSIONS` or of NetCDF's; none
  /// if there is not one for each axis. Axes that a field adds have the name "".
  [[nodiscard]] const std::vector<std::string>& dimension_names() const;
  [[nodiscard]] const std::shared_ptr<key_value_store>& store() const;
  /// Returns the path of the array in its store.
  [[nodiscard]] const std::string& path() const;
  /// Returns store and path for people: "/data/era5.zarr/u".
  [[nodiscard]] std::string name() const;

  /// Returns the bytes of one whole chunk, overhang included, as it is in memory.
  [[nodiscard]] std::size_t decoded_bytes() const;
  /// Returns the most bytes that a stored chunk may have; larger ones are refused unread. 0 without
  /// a compressor.
  [[nodiscard]] std::size_t encoded_bound() const;
  /// Returns the most bytes that the codec takes inside one call of a function below.
  [[nodiscard]] std::size_t codec_workspace() const;
  /// Returns the bytes of one whole shard in memory; without shards, of a chunk.
  [[nodiscard]] std::size_t shard_bytes() const;
  /// Returns the most bytes of a stored shard; without shards, `encoded_bound()`.
  [[nodiscard]] std::size_t shard_bound() const;
  /// Returns the most bytes that the codec takes to write a shard.
  [[nodiscard]] std::size_t shard_workspace() const;
  /// Tells whether a range of a stored chunk is read without the rest: from the first to the last
  /// element of a region. Chunks are then stored as they are in memory.
  [[nodiscard]] bool has_ranges() const;

  /// Returns the bytes of `scratch` that `write_chunk` needs: `shard_bytes()` if stored chunks
  /// are not row-major or of the other byte order, else 0.
  [[nodiscard]] std::size_t write_scratch_bytes() const;
  /// Returns the strides, in elements, of a chunk that `read_chunk` decoded: row-major for order C,
  /// column-major for order F.
  [[nodiscard]] const index_vector& chunk_strides() const;
  /// Returns the element of missing chunks that are filled: `metadata().fill_value` or zero.
  [[nodiscard]] const element_bytes& fill() const;

  /// Returns the key of a chunk in the store: "u/0.3.1". With shards: the key of a shard.
  [[nodiscard]] std::string chunk_key(std::span<const index_t> chunk) const;
  /// Tells whether a chunk, or a shard, is stored. A file of 0 bytes, which a power failure leaves,
  /// is none.
  [[nodiscard]] bool has_chunk(std::span<const index_t> chunk) const;

  /// Decodes a chunk into the front of `decoded`, overhang included, laid out by `chunk_strides()`.
  /// Returns false, and leaves `decoded` as it was, if the chunk is missing.
  ///
  /// Throws: store_error <- the store fails. codec_error, zarr_error <- the stored bytes are no
  /// chunk.
  ///         zarr_error <- the chunk is missing, and missing chunks are errors, or its file has 0
  ///         bytes, which is never taken for a missing one.
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                std::span<std::byte> encoded) const;

  /// Gathers the elements of `box` into `into`, dense and row-major; missing chunks are `fill()`
  /// unless they are errors. Returns false if each of its chunks is missing.
  ///
  /// With `steps`, one positive number per axis, only every step-th element from `box.start` on is
  /// kept, and `into` holds these alone. With `strides`, in elements, `into` is larger, and they
  /// are the strides of the result in it. Each chunk is decoded once, straight into `into` if its
  /// elements lie there as in the chunk. Of a chunk that is encoded in blocks, only blocks with
  /// elements of the box are decoded.
  ///
  /// Shape:  ceil((stop - start) / step) per axis.
  /// Throws: shape_error <- `box` is not inside the array, a step is not positive, or `into` has
  ///         not the size of the result. Else as `read_chunk`.
  bool read_region(const region& box, std::span<std::byte> into, std::span<std::byte> decoded,
                   std::span<std::byte> encoded, std::span<const index_t> steps = {},
                   std::span<const index_t> strides = {}) const;

  /// Stores a chunk, atomically. `data` is one whole chunk, row-major, overhang included. With
  /// shards: stores the shard at the position `chunk`; `encoded` has `shard_bound()` bytes.
  void write_chunk(std::span<const index_t> chunk, const std::byte* data,
                   std::span<std::byte> encoded, std::span<std::byte> scratch = {}) const;

  /// Stores the elements of `box`, which `from` holds dense and row-major.
  ///
  /// Chunks that lie in `box` as far as the array goes are written, the others are read, changed
  /// and written: one after the other within this process, whichever handles write to them. With
  /// shards, whole shards are; each takes `shard_bytes() + shard_bound()` of memory.
  ///
  /// Throws: shape_error <- `box` is not inside the array, or `from` has not its size. Else as
  ///         `read_chunk` and `write_chunk`.
  void write_region(const region& box, std::span<const std::byte> from,
                    std::span<std::byte> decoded, std::span<std::byte> encoded) const;

  /// Changes the extents of the array to `shape` and returns a handle on the resized array; handles
  /// that are open keep the old extents.
  ///
  /// Chunks outside are removed. New elements are the fill value, also in chunks at the old edge.
  /// Without a fill value they are 0 in chunks at the old edge, and other new chunks are missing
  /// until they are written. If the call is interrupted, the array has its old or its new shape,
  /// and the elements of that shape.
  ///
  /// The extents are those that the array has then, whatever they were when the handle was opened.
  /// Throws: shape_error <- another rank, or a negative extent. zarr_error <- a run writes to the
  ///         array, or another one has taken its place. Else as the store does.
  [[nodiscard]] zarr_array resize(std::span<const index_t> shape) const;

  /// Appends `data`, dense and row-major, along `axis`: as many positions as it has bytes for.
  /// Returns a handle on the longer array.
  ///
  /// The metadata are written last: a reader sees all appended elements or none.
  /// Throws: shape_error <- there is no such axis, or `data` is no whole number of positions. Else
  ///         as `resize` and `write_region`.
  [[nodiscard]] zarr_array append(std::size_t axis, std::span<const std::byte> data,
                                  std::span<std::byte> decoded, std::span<std::byte> encoded) const;

  /// Returns a handle on the array as it is once `write_shape` of that handle has given it `shape`:
  /// until then readers see none of the chunks that are written beyond the old one.
  ///
  /// Throws: as `resize`.
  [[nodiscard]] zarr_array with_shape(std::span<const index_t> shape) const;
  /// Makes the extents in the metadata those of this handle.
  void write_shape() const;

 private:
  friend class detail::zarr_destination_port;
  explicit zarr_array(std::shared_ptr<const detail::zarr_array_state> opened);

  std::shared_ptr<const detail::zarr_array_state> state_;
};

}  // namespace tessera
