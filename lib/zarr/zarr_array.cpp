// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_array.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/dimension_names.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/json_scanner.hpp"
#include "zarr/missing_node.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace detail {

namespace {

/// Returns the strides, in elements, of a dense array in column-major (F) order.
index_vector column_major_strides(const index_vector& extents) {
  index_vector reversed(extents);
  std::reverse(reversed.begin(), reversed.end());
  index_vector strides = row_major_strides(reversed);
  std::reverse(strides.begin(), strides.end());
  return strides;
}

bool lie_alike(const index_vector& a, const index_vector& b, const index_vector& extents) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1 && a[axis] != b[axis]) return false;
  }
  return true;
}

}  // namespace

zarr_array_state::zarr_array_state(std::shared_ptr<key_value_store> home, std::string place,
                                   const zarr_metadata& description,
                                   const tessera::attributes& values)
    : store(std::move(home)),
      path(std::move(place)),
      metadata(description),
      attributes(values),
      dimension_names(
          names_of_dimensions(values, description.other_members, description.shape.size())),
      grid(description.shape, description.chunks),
      codec(description.make_codec()),
      itemsize(description.dtype.itemsize()),
      decoded_bytes(static_cast<std::size_t>(num_elements(description.chunks)) * itemsize),
      chunk_strides(description.order == 'F' ? column_major_strides(description.chunks)
                                             : row_major_strides(description.chunks)),
      is_row_major(
          lie_alike(chunk_strides, row_major_strides(description.chunks), description.chunks)),
      is_native(has_native_order(description.dtype)),
      fill(description.fill_value.value_or(element_bytes{})) {
  fill.reserve(itemsize);
  if (codec == nullptr) return;
  encoded_bound = codec->max_encoded_size(decoded_bytes);
  codec_workspace = codec->workspace_size(decoded_bytes);
}

std::string zarr_array_state::name() const { return name_of_node(*store, path); }

std::shared_ptr<const zarr_array_state> make_state(std::shared_ptr<key_value_store> store,
                                                   const std::string& path,
                                                   const zarr_metadata& metadata,
                                                   const attributes& values) {
  try {
    return std::make_shared<zarr_array_state>(store, path, metadata, values);
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("{}: chunks {} of {}: {}", name_of_node(*store, path),
                                 format_shape(metadata.chunks), shortened(metadata.dtype.to_json()),
                                 failure.what()));
  }
}
}  // namespace detail

zarr_array::zarr_array(std::shared_ptr<const detail::zarr_array_state> opened)
    : state_(std::move(opened)) {}

zarr_array zarr_array::open(std::shared_ptr<key_value_store> store, std::string_view path) {
  const std::string place = detail::normalised_path(path);
  const std::string key = detail::node_key(place, ".zarray");
  const std::optional<std::string> text = detail::read_text(*store, key);
  if (!text) detail::throw_no_node(store, place, "array");
  zarr_metadata metadata;
  try {
    metadata = zarr_metadata::parse(*text);
  } catch (const zarr_error& failure) {
    throw zarr_error(fmt::format("{}: {}", detail::name_of_node(*store, place), failure.what()));
  }
  const tessera::attributes values = detail::read_attributes(*store, place);
  return zarr_array(detail::make_state(std::move(store), place, metadata, values));
}

zarr_array zarr_array::open(const std::string& path) {
  const auto [store, inner] = locate(path);
  return open(store, inner);
}

zarr_array zarr_array::create(std::shared_ptr<key_value_store> store, std::string_view path,
                              const zarr_metadata& described, const tessera::attributes& attributes,
                              existing policy) {
  const std::string place = detail::normalised_path(path);
  std::shared_ptr<const detail::zarr_array_state> state;
  detail::require_room(detail::underlying(store), place);
  detail::change_alone(*store, place, "create an array at", [&] {
    state = detail::create_array(store, place, described, attributes, policy);
  });
  return zarr_array(std::move(state));
}

zarr_array zarr_array::create(const std::string& path, const zarr_metadata& metadata,
                              const tessera::attributes& attributes, existing policy) {
  const auto [store, inner] = locate(path);
  return create(store, inner, metadata, attributes, policy);
}

zarr_array zarr_array::with(const chunk_policy& policy) const {
  if (policy.separator && *policy.separator != '.' && *policy.separator != '/') {
    throw value_error(fmt::format("{}: keys of chunks are separated by '.' or '/', not by '{}'",
                                  name(), *policy.separator));
  }
  auto state = std::make_shared<detail::zarr_array_state>(*state_);
  state->policy = policy;
  if (policy.separator) state->metadata.dimension_separator = *policy.separator;
  return zarr_array(std::move(state));
}

const chunk_policy& zarr_array::policy() const { return state_->policy; }
const std::vector<std::string>& zarr_array::field_path() const { return state_->field_path; }
const zarr_metadata& zarr_array::metadata() const { return state_->metadata; }

dtype zarr_array::dtype() const {
  const std::optional<tessera::dtype> type = metadata().dtype.element();
  if (type) return *type;
  throw dtype_error(
      fmt::format("{} holds elements of dtype {}, which are no numbers: read it as it is, or a "
                  "field of it",
                  name(), detail::shortened(metadata().dtype.to_json())));
}

const tessera::attributes& zarr_array::attributes() const { return state_->attributes; }
const chunk_grid& zarr_array::grid() const { return state_->grid; }
const std::vector<std::string>& zarr_array::dimension_names() const {
  return state_->dimension_names;
}
const std::shared_ptr<key_value_store>& zarr_array::store() const { return state_->store; }
const std::string& zarr_array::path() const { return state_->path; }
std::string zarr_array::name() const { return state_->name(); }
std::size_t zarr_array::decoded_bytes() const { return state_->decoded_bytes; }
std::size_t zarr_array::encoded_bound() const { return state_->encoded_bound; }
std::size_t zarr_array::codec_workspace() const { return state_->codec_workspace; }
bool zarr_array::has_ranges() const { return state_->has_ranges(); }
std::size_t zarr_array::write_scratch_bytes() const {
  return state_->is_row_major && state_->is_native ? 0 : state_->decoded_bytes;
}
const index_vector& zarr_array::chunk_strides() const { return state_->chunk_strides; }
const element_bytes& zarr_array::fill() const { return state_->fill; }

std::string zarr_array::chunk_key(std::span<const index_t> chunk) const {
  return std::string(detail::chunk_key_buffer(*state_, chunk).view());
}

bool zarr_array::has_chunk(std::span<const index_t> chunk) const {
  // No chunk is stored in 0 bytes: such a file is what a power failure left of one.
  return state_->store->size(detail::chunk_key_buffer(*state_, chunk).view()).value_or(0) > 0;
}

}  // namespace tessera
