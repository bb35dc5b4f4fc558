// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of an open array, and the operations on its chunks.

#include "tessera/zarr/zarr_array.hpp"

#include "codec/api/shard_codec.hpp"
#include "codec/api/shard_index.hpp"
#include "core/api/streamed_shards.hpp"
#include "zarr/attributes_on_demand.hpp"

namespace tessera::detail {

struct zarr_array_state;

/// The layout of a field's elements in a chunk of records.
struct record_field {
  std::shared_ptr<const zarr_array_state> records;
  std::size_t offset = 0;
  /// In bytes, one per axis of the field's array.
  index_vector strides;
};

/// The shards of an array; its chunks are parts of shards.
struct stored_shards {
  /// A shard is stored under one key.
  chunk_grid grid;
  /// The chunks along each axis of a shard, and the order of these axes in the index.
  index_vector parts;
  index_vector index_order;
  shard_index_format index;
  /// Whether each stored chunk has the size that bounds it.
  bool is_fixed_size = false;
  /// The codec of a whole shard, the one that leaves out chunks of nothing but fill, and the
  /// strides of its elements.
  std::shared_ptr<const byte_codec> codec;
  std::shared_ptr<const byte_codec> omitting_codec;
  index_vector strides;
  std::size_t index_bytes = 0;
  std::size_t decoded_bytes = 0;
  std::size_t encoded_bound = 0;
};

/// Returns the axes of the array as the axes of the index.
[[nodiscard]] index_vector in_index(const stored_shards& shards, const index_vector& extents);

/// Returns the memory in which a shard that is computed at once is written in pieces; nullopt if
/// the index comes first, or if the values of `store` are no files, which grow by pieces.
[[nodiscard]] std::optional<piece_memory> pieces_of(const stored_shards& shards,
                                                    const key_value_store& store);

/// Returns the memory in which shards are streamed; no chunks if the index comes first, or if the
/// memory of the store's writers is not known.
[[nodiscard]] streamed_shards streams_of(const zarr_metadata& metadata, const stored_shards& shards,
                                         const key_value_store& store);

/// The unit of keys: a shard, or a chunk of an array without shards.
struct stored_unit {
  const chunk_grid& grid;
  const byte_codec* codec;
  const index_vector& strides;
  std::size_t decoded_bytes;
  std::size_t encoded_bound;
};

struct zarr_array_state {
  std::shared_ptr<key_value_store> store;
  std::string path;
  zarr_metadata metadata;
  attributes_on_demand attributes;
  chunk_policy policy = {};
  std::vector<std::string> dimension_names;
  chunk_grid grid;
  std::shared_ptr<const stored_shards> shards;
  std::shared_ptr<const byte_codec> codec;
  std::size_t itemsize = 0;
  std::size_t decoded_bytes = 0;
  std::size_t encoded_bound = 0;
  std::size_t codec_workspace = 0;
  index_vector chunk_strides;
  /// Whether a decoded chunk is row-major. A chunk of order F is, too, if at most one axis is
  /// longer than 1.
  bool is_row_major = true;
  /// Whether elements are stored in this machine's byte order.
  bool is_native = true;
  /// Whether the bytes of elements in memory are those of the stored elements.
  bool is_read_as_stored = true;
  element_bytes fill;
  /// Set if the array is a field of an array of records, whose chunks it reads.
  std::optional<record_field> field = {};
  std::vector<std::string> field_path = {};

  /// Throws: codec_error <- the codec cannot hold a chunk.
  zarr_array_state(std::shared_ptr<key_value_store> home, std::string node_path,
                   const zarr_metadata& description, tessera::attributes values);

  /// Returns store and path for messages.
  [[nodiscard]] std::string name() const;

  /// Returns the unit of keys. It refers to this state.
  [[nodiscard]] stored_unit unit() const;

  /// Tells whether a part of a chunk is read without the rest of the chunk.
  [[nodiscard]] bool has_ranges() const {
    return codec == nullptr && !field && store->traits().has_ranges;
  }

  /// Decodes a chunk into the front of `decoded`; returns false if it is missing.
  [[nodiscard]] bool load(std::span<const index_t> chunk, std::span<std::byte> decoded,
                          std::span<std::byte> encoded) const;

  /// Decodes `size` bytes of a chunk from byte `first` on: into `place` unless it is empty, else to
  /// their offset in `decoded`. Returns their address, or nullptr if the chunk is missing.
  [[nodiscard]] const std::byte* load_range(std::span<const index_t> chunk, std::size_t first,
                                            std::size_t size, std::span<std::byte> destination,
                                            std::span<std::byte> decoded,
                                            std::span<std::byte> encoded) const;

  /// Decodes the stored value of `unit` into the front of `decoded`. Returns false if it is
  /// missing. A unit is a shard, or a chunk of an array without shards, here and below.
  [[nodiscard]] bool load_unit(std::span<const index_t> unit, std::span<std::byte> decoded,
                               std::span<std::byte> encoded) const;

  /// Encodes and stores a unit that is laid out by its strides, in this machine's byte order.
  /// Leaves `decoded` in the byte order of the stored chunk.
  void store_decoded(std::span<const index_t> chunk, std::span<std::byte> decoded,
                     std::span<std::byte> encoded) const;

  /// Returns the bytes of scratch in which a unit is laid out as it is stored; 0: it lies so.
  [[nodiscard]] std::size_t write_scratch_bytes() const;

  /// As `array_sink::write_chunk`.
  void write_unit(std::span<const index_t> unit, const std::byte* data,
                  std::span<std::byte> encoded, std::span<std::byte> scratch) const;

  /// Encodes and stores the bytes of a unit in the stored order and layout.
  void save(std::span<const index_t> chunk, std::span<const std::byte> decoded,
            std::span<std::byte> encoded) const;

  /// Begins to write a shard. Its index is built in `index`. The stream refers to this state.
  /// Requires: `streams_of` has chunks.
  [[nodiscard]] std::unique_ptr<shard_stream> stream(std::span<const index_t> shard,
                                                     std::span<std::byte> index) const;

  /// Removes a unit if it holds fill values alone and the policy omits such chunks. Returns true if
  /// it was removed.
  [[nodiscard]] bool omit(std::span<const index_t> chunk, std::span<const std::byte> data) const;

  /// Throws: zarr_error <- missing chunks are errors. `chunk` is no unit.
  void require_no_missing(std::span<const index_t> chunk) const;

  /// Throws: zarr_error <- this is a field of records.
  void require_writable() const;

 private:
  /// `load_range` of a field.
  [[nodiscard]] const std::byte* gather_field(std::span<const index_t> chunk, std::size_t first,
                                              std::size_t size, std::span<std::byte> destination,
                                              std::span<std::byte> decoded,
                                              std::span<std::byte> encoded) const;
  /// `load_range` of a chunk in a shard: the index is read first, then the chunk.
  [[nodiscard]] const std::byte* load_part(std::span<const index_t> chunk, std::size_t first,
                                           std::size_t size, std::span<std::byte> destination,
                                           std::span<std::byte> decoded,
                                           std::span<std::byte> encoded) const;
  /// `save` in pieces. Returns false, and does nothing, if `pieces_of` has no value.
  [[nodiscard]] bool save_in_pieces(std::span<const index_t> shard,
                                    std::span<const std::byte> decoded,
                                    std::span<std::byte> encoded) const;
  void put(std::string_view key, std::span<const std::byte> value) const;
  [[nodiscard]] std::optional<std::size_t> fetch(std::string_view key,
                                                 std::span<std::byte> into) const;
  [[nodiscard]] std::optional<std::size_t> fetch_range(std::string_view key, std::size_t first,
                                                       std::span<std::byte> into) const;
};

/// Returns the state of the array at `path` that `metadata` and `values` describe.
///
/// Throws: zarr_error <- the codec cannot hold a chunk.
[[nodiscard]] std::shared_ptr<zarr_array_state> make_state(std::shared_ptr<key_value_store> store,
                                                           const std::string& path,
                                                           const zarr_metadata& metadata,
                                                           attributes values);

/// Returns the shard of a chunk, or the chunk itself without shards.
[[nodiscard]] index_vector unit_of_chunk(const zarr_array_state& array,
                                         std::span<const index_t> chunk);

/// The key of a unit, in a buffer on the stack.
class chunk_key_buffer {
 public:
  /// Throws: shape_error <- `unit` is not in the grid of units.
  chunk_key_buffer(const zarr_array_state& array, std::span<const index_t> unit);

  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  // A path of at most 1024 characters, and for each of 32 axes 19 digits and a separator.
  char text_[2048];
};

/// Throws value_error unless a buffer has at least `required` bytes.
void require_buffer(const zarr_array_state& array, const char* buffer, std::size_t size,
                    std::size_t required);

}  // namespace tessera::detail
