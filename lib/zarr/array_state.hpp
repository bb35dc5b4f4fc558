// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What an open array knows, and how it reaches its chunks.

#include "tessera/zarr/zarr_array.hpp"

namespace tessera::detail {

struct zarr_array_state;

/// Where the elements of a field lie in a chunk of records.
struct record_field {
  std::shared_ptr<const zarr_array_state> records;
  std::size_t offset = 0;
  /// In bytes, one per axis of the field's array.
  index_vector strides;
};

struct zarr_array_state {
  std::shared_ptr<key_value_store> store;
  std::string path;
  zarr_metadata metadata;
  tessera::attributes attributes;
  chunk_policy policy = {};
  std::vector<std::string> dimension_names;
  chunk_grid grid;
  std::shared_ptr<const byte_codec> codec;
  std::size_t itemsize = 0;
  std::size_t decoded_bytes = 0;
  std::size_t encoded_bound = 0;
  std::size_t codec_workspace = 0;
  index_vector chunk_strides;
  /// Whether a decoded chunk is row-major, which some of order F are too.
  bool is_row_major = true;
  /// Whether elements are stored in this machine's byte order.
  bool is_native = true;
  element_bytes fill;
  /// Of the field of an array of records; nothing else is stored for it.
  std::optional<record_field> field = {};
  std::vector<std::string> field_path = {};

  /// Throws: codec_error <- the codec cannot hold a chunk.
  zarr_array_state(std::shared_ptr<key_value_store> home, std::string place,
                   const zarr_metadata& description, const tessera::attributes& values);

  /// Returns store and path for people.
  [[nodiscard]] std::string name() const;

  /// Tells whether a part of a chunk is read without the rest of it.
  [[nodiscard]] bool has_ranges() const {
    return codec == nullptr && !field && store->has_ranges();
  }

  /// Decodes a chunk into the front of `decoded`; returns false if it is missing.
  [[nodiscard]] bool load(std::span<const index_t> chunk, std::span<std::byte> decoded,
                          std::span<std::byte> encoded) const;

  /// Decodes the `size` bytes of a chunk from `first` on, into `place` if that is not empty, else
  /// into where they belong in `decoded`. Returns where they are, a null pointer if the chunk is
  /// missing.
  [[nodiscard]] const std::byte* load_range(std::span<const index_t> chunk, std::size_t first,
                                            std::size_t size, std::span<std::byte> place,
                                            std::span<std::byte> decoded,
                                            std::span<std::byte> encoded) const;

  /// Encodes and stores a chunk that is laid out by `chunk_strides`, in this machine's byte order:
  /// `decoded` is that of what is stored afterwards.
  void store_decoded(std::span<const index_t> chunk, std::span<std::byte> decoded,
                     std::span<std::byte> encoded) const;

  /// Encodes and stores a chunk as it lies in memory, which must be as it is stored.
  void save(std::span<const index_t> chunk, std::span<const std::byte> decoded,
            std::span<std::byte> encoded) const;

  /// Removes a chunk of nothing but fill values where such chunks are left out; tells whether it
  /// has.
  [[nodiscard]] bool omit(std::span<const index_t> chunk, std::span<const std::byte> data) const;

  /// Throws: zarr_error <- missing chunks are errors.
  void require_no_missing(std::span<const index_t> chunk) const;

  /// Throws: zarr_error <- this is a field of records.
  void require_writable() const;

 private:
  /// `load_range` of a field.
  [[nodiscard]] const std::byte* gather_field(std::span<const index_t> chunk, std::size_t first,
                                              std::size_t size, std::span<std::byte> place,
                                              std::span<std::byte> decoded,
                                              std::span<std::byte> encoded) const;
  [[nodiscard]] std::optional<std::size_t> fetch(std::string_view key,
                                                 std::span<std::byte> into) const;
};

/// Returns the state of the array at `path` that `metadata` and `values` describe.
///
/// Throws: zarr_error <- the codec cannot hold a chunk.
[[nodiscard]] std::shared_ptr<const zarr_array_state> make_state(
    std::shared_ptr<key_value_store> store, const std::string& path, const zarr_metadata& metadata,
    const attributes& values);

/// The key of a chunk, made without allocating.
class chunk_key_buffer {
 public:
  /// Throws: shape_error <- `chunk` is not in the grid.
  chunk_key_buffer(const zarr_array_state& array, std::span<const index_t> chunk);

  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  // A path of at most 1024 characters, and for each of 32 axes 19 digits and a separator.
  char text_[2048];
};

/// Throws value_error unless a buffer has at least `required` bytes.
void require_buffer(const zarr_array_state& array, const char* buffer, std::size_t found,
                    std::size_t required);

}  // namespace tessera::detail
