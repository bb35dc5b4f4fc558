// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"

#include "plan/words.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

namespace tessera {

namespace {

/// More than any host has, and little enough for many of it to be added up.
constexpr std::uint64_t greatest_memory = std::uint64_t{1} << 56;

}  // namespace

array_storage storage_of(const zarr_metadata& metadata) {
  const std::size_t itemsize = metadata.dtype.itemsize();
  array_storage storage{
      .how = array_storage::kind::chunks,
      .type = metadata.dtype.element().value(),
      .shape = metadata.shape,
      .chunks = metadata.chunks,
      .order = metadata.order,
      .needs_write_scratch = metadata.order == 'F' ||
                             (itemsize > 1 && metadata.dtype.byte_order() != std::endian::native),
      .decoded_bytes = static_cast<std::size_t>(
          checked_multiply(num_elements(metadata.chunks), static_cast<index_t>(itemsize))),
      .encoded_bound = 0,
      .workspace = 0};
  if (const auto codec = metadata.make_codec()) {
    storage.encoded_bound = codec->max_encoded_size(storage.decoded_bytes);
    storage.workspace = codec->workspace_size(storage.decoded_bytes);
  }
  return storage;
}

array_storage storage_of(const zarr_array& array) {
  array_storage storage = storage_of(array.metadata());
  // Of a field, the metadata do not say how the records are stored.
  storage.encoded_bound = array.encoded_bound();
  storage.workspace = array.codec_workspace();
  return storage;
}

bytes memory_for_elements(const index_vector& shape, dtype type) {
  const auto count = static_cast<std::uint64_t>(num_elements(shape));
  return bytes{std::min(count, greatest_memory / size_of(type)) * size_of(type)};
}

bytes planned_array::size() const { return memory_for_elements(shape, type); }

zarr_metadata intermediate_metadata(dtype type, const index_vector& shape,
                                    const index_vector& chunks, const spec& limits) {
  zarr_metadata metadata;
  metadata.shape = shape;
  metadata.chunks = chunks;
  metadata.dtype = type;
  // Every chunk is written: one that is missing is lost, and holds no zeros.
  metadata.fill_value = std::nullopt;
  if (limits.intermediate_compressor == "none") {
    metadata.compressor = codec::none{};
  } else {
    metadata.compressor = codec::blosc{.cname = limits.intermediate_compressor, .clevel = 1};
  }
  return metadata;
}

array_storage storage_of(const planned_array& array) {
  array_storage storage{.how = array_storage::kind::memory,
                        .type = array.type,
                        .shape = array.shape,
                        .chunks = array.chunks};
  if (const auto* stored = std::get_if<stored_source>(&array.place)) {
    storage = storage_of(stored->array);
  } else if (const auto* place = std::get_if<zarr_place>(&array.place)) {
    storage = storage_of(place->destination.metadata);
  } else if (std::holds_alternative<generated_source>(array.place)) {
    storage.how = array_storage::kind::generated;
  }
  storage.name = shortened(array.name, 40);
  return storage;
}

array_storage storage_of(const array_vertex& array, const spec& limits) {
  if (const auto* stored = std::get_if<stored_source>(&array.source)) {
    return storage_of(stored->array);
  }
  array_storage storage{.how = array_storage::kind::memory,
                        .type = array.type,
                        .shape = array.shape,
                        .chunks = array.chunks};
  if (std::holds_alternative<memory_source>(array.source)) return storage;
  if (std::holds_alternative<generated_source>(array.source)) {
    storage.how = array_storage::kind::generated;
    return storage;
  }
  const bytes size = memory_for_elements(array.shape, array.type);
  if (!array.is_stored && size <= limits.allowed_memory) return storage;
  return storage_of(intermediate_metadata(array.type, array.shape, array.chunks, limits));
}

}  // namespace tessera
