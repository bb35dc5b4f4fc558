// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of arrays of records as arrays.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "json/scanner.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/array_state.hpp"

#include <cstring>
#include <fmt/format.h>

namespace tessera {

namespace detail {

namespace {

/// Returns the fill value of a field. Throws zarr_error if the field's elements have several.
element_bytes fill_of(const zarr_array_state& records, const data_field& field) {
  const std::span fill(records.fill.data(), records.itemsize);
  const std::span whole = fill.subspan(field.offset, field.size());
  const std::size_t itemsize = field.type.itemsize();
  for (std::size_t at = itemsize; at < whole.size(); at += itemsize) {
    if (std::memcmp(whole.data(), whole.data() + at, itemsize) == 0) continue;
    throw zarr_error(fmt::format(
        "{}: the fill value of the field \"{}\" is an array of differing values, which is not "
        "supported: read whole records",
        records.name(), shortened(field.name)));
  }
  return element_bytes(whole.first(itemsize));
}

/// Returns the metadata of a field as an array: the axes of the records, then the field's axes.
zarr_metadata metadata_of(const zarr_array_state& records, const data_field& field) {
  zarr_metadata result = in_format(records.metadata, default_format().number);
  for (const index_t extent : field.shape) {
    result.shape.push_back(extent);
    result.chunks.push_back(extent);
  }
  result.dtype = field.type;
  result.order = 'C';
  result.filters.clear();
  result.compressor = codec::none{};
  if (result.fill_value) result.fill_value = fill_of(records, field);
  return result;
}

/// Returns the layout of a field in the records of `array`, which may be a field itself.
record_field locate_field(const std::shared_ptr<const zarr_array_state>& array,
                          const data_field& field) {
  record_field location{.records = array, .offset = 0, .strides = array->chunk_strides};
  if (array->field) {
    location = *array->field;
  } else {
    for (index_t& stride : location.strides) stride *= static_cast<index_t>(array->itemsize);
  }
  location.offset += field.offset;
  for (const index_t stride : row_major_strides(field.shape)) {
    location.strides.push_back(stride * static_cast<index_t>(field.type.itemsize()));
  }
  return location;
}

}  // namespace

const std::byte* zarr_array_state::gather_field(std::span<const index_t> chunk, std::size_t first,
                                                std::size_t size, std::span<std::byte> destination,
                                                std::span<std::byte> decoded,
                                                std::span<std::byte> encoded) const {
  const zarr_array_state& records = *field->records;
  require_buffer(*this, "encoded", encoded.size(), encoded_bound);
  const std::byte* const from =
      records.load_range(chunk.first(records.grid.rank()), 0, records.decoded_bytes, {},
                         encoded.subspan(records.encoded_bound), encoded);
  if (from == nullptr) return nullptr;
  const bool is_direct = !destination.empty() && size == decoded_bytes;
  if (!is_direct) require_buffer(*this, "decoded", decoded.size(), decoded_bytes);
  std::byte* const to = is_direct ? destination.data() : decoded.data();
  strided_gather(to, chunk_strides, from + field->offset, field->strides, metadata.chunks,
                 itemsize);
  if (is_direct || destination.empty()) return to + first;
  std::memcpy(destination.data(), to + first, size);
  return destination.data();
}

void zarr_array_state::require_writable() const {
  if (!field) return;
  throw zarr_error(fmt::format(
      "{}: a field of records can be read but not written, write whole records", name()));
}

}  // namespace detail

zarr_array zarr_array::field(std::string_view name) const {
  const data_field& member = metadata().dtype.field(name);
  auto state = std::make_shared<detail::zarr_array_state>(
      state_->store, state_->path, detail::metadata_of(*state_, member), tessera::attributes());
  state->attributes = state_->attributes;
  const detail::record_field location = detail::locate_field(state_, member);
  state->policy = state_->policy;
  state->dimension_names = state_->dimension_names;
  if (!state->dimension_names.empty()) state->dimension_names.resize(state->grid.rank());
  state->is_native = true;
  state->encoded_bound = location.records->encoded_bound + location.records->decoded_bytes;
  state->codec_workspace = location.records->codec_workspace;
  state->field = location;
  state->field_path = state_->field_path;
  state->field_path.emplace_back(name);
  return zarr_array(std::move(state));
}

}  // namespace tessera
