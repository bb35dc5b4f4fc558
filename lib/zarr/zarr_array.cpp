// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_array.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "json/scanner.hpp"
#include "zarr/api/dimension_names.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/kept_index.hpp"
#include "zarr/missing_node.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/overwriting_note.hpp"
#include "zarr/v3/array_metadata.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace detail {

namespace {

bool lie_alike(const index_vector& a, const index_vector& b, const index_vector& extents) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1 && a[axis] != b[axis]) return false;
  }
  return true;
}

/// Returns the names in the metadata, else in the attributes; none if they are absent.
std::vector<std::string> names_of_axes(const zarr_metadata& metadata, const attributes& values) {
  const bool has_any = std::ranges::any_of(metadata.dimension_names,
                                           [](const auto& name) { return name.has_value(); });
  if (!has_any) {
    return names_of_dimensions(values, metadata.other_members, metadata.shape.size());
  }
  std::vector<std::string> names;
  for (const auto& name : metadata.dimension_names) names.push_back(name.value_or(""));
  return names;
}

}  // namespace

zarr_array_state::zarr_array_state(std::shared_ptr<key_value_store> home, std::string node_path,
                                   const zarr_metadata& description, tessera::attributes values)
    : store(std::move(home)),
      path(std::move(node_path)),
      metadata(description),
      attributes(std::move(values)),
      dimension_names(names_of_axes(description, attributes.get())),
      grid(description.shape, description.chunks),
      shards(v3::shards_of(description)),
      codec(description.make_codec()),
      itemsize(description.dtype.itemsize()),
      decoded_bytes(static_cast<std::size_t>(num_elements(description.chunks)) * itemsize),
      chunk_strides(description.order.strides(description.chunks)),
      is_row_major(
          lie_alike(chunk_strides, row_major_strides(description.chunks), description.chunks)),
      is_native(has_native_order(description.dtype)),
      is_read_as_stored(detail::is_native(description.dtype)),
      fill(description.fill_value.value_or(element_bytes{})) {
  fill.reserve(itemsize);
  // The indexes of shards are read into memory of their own.
  if (shards != nullptr) {
    const indexed_shards kept = indexed_shards_of(description, 0);
    codec_workspace = static_cast<std::size_t>(kept.num_kept_indexes) * shards->index_bytes;
  }
  if (codec == nullptr) return;
  encoded_bound = codec->max_encoded_size(decoded_bytes);
  codec_workspace += codec->workspace_size(decoded_bytes);
}

stored_unit zarr_array_state::unit() const {
  if (shards != nullptr) {
    const bool omits = policy.empty == empty_chunks::omit;
    return {shards->grid, (omits ? shards->omitting_codec : shards->codec).get(), shards->strides,
            shards->decoded_bytes, shards->encoded_bound};
  }
  return {grid, codec.get(), chunk_strides, decoded_bytes, encoded_bound};
}

std::size_t zarr_array_state::write_scratch_bytes() const {
  const stored_unit stored = unit();
  const index_vector& extents = stored.grid.chunks();
  const bool is_row_major = lie_alike(stored.strides, row_major_strides(extents), extents);
  return is_row_major && is_native ? 0 : stored.decoded_bytes;
}

std::string zarr_array_state::name() const { return name_of_node(*store, path); }

std::shared_ptr<zarr_array_state> make_state(std::shared_ptr<key_value_store> store,
                                             const std::string& path, const zarr_metadata& metadata,
                                             tessera::attributes values) {
  try {
    return std::make_shared<zarr_array_state>(store, path, metadata, std::move(values));
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("{}: chunks {} of {}: {}", name_of_node(*store, path),
                                 format_shape(metadata.chunks), shortened(metadata.dtype.to_json()),
                                 failure.what()));
  }
}

namespace {

/// Tells whether attributes are parsed at their first use: they are a long part of `texts`.
bool are_deferred(const node_format& format, const node_texts& texts) {
  constexpr std::size_t longest_parsed = std::size_t{1} << 20;
  const auto text = texts.find(format.attributes_key);
  return format.select_attributes != nullptr && text != texts.end() &&
         text->second.size() > longest_parsed;
}

/// As `make_state`, of attributes that are parsed at their first use. The names of dimensions among
/// them are parsed now.
std::shared_ptr<zarr_array_state> defer_attributes(const std::shared_ptr<key_value_store>& store,
                                                   const std::string& path,
                                                   const zarr_metadata& metadata,
                                                   const node_format& format, node_texts texts) {
  auto state =
      make_state(store, path, metadata, format.select_attributes(texts, attributes_of_dimensions));
  state->attributes = attributes_on_demand([&format, store, path, texts = std::move(texts)] {
    return format.read_attributes(*store, path, texts).value_or(tessera::attributes());
  });
  return state;
}

}  // namespace
}  // namespace detail

zarr_array::zarr_array(std::shared_ptr<const detail::zarr_array_state> opened)
    : state_(std::move(opened)) {}

zarr_array zarr_array::open(std::shared_ptr<key_value_store> store, std::string_view path) {
  const std::string node_path = detail::normalised_path(path);
  const detail::document_reader reader(*store, node_path, detail::names_of_array_documents());
  auto node = detail::find_node(reader, node_path, detail::node_kind::array);
  if (!node) {
    // A run may have been killed after it removed the old metadata.
    const auto note = detail::read_note(*store, node_path);
    if (!note) detail::throw_no_node(store, node_path, "array");
    return zarr_array(detail::make_state(std::move(store), node_path,
                                         zarr_metadata::parse(note->metadata),
                                         tessera::attributes::parse(note->attributes)));
  }
  zarr_metadata metadata;
  try {
    metadata = node->format->parse_array(node->texts);
  } catch (const zarr_error& failure) {
    throw zarr_error(
        fmt::format("{}: {}", detail::name_of_node(*store, node_path), failure.what()));
  }
  if (detail::are_deferred(*node->format, node->texts)) {
    return zarr_array(detail::defer_attributes(store, node_path, metadata, *node->format,
                                               std::move(node->texts)));
  }
  auto values = node->format->read_attributes(reader, node_path, node->texts);
  return zarr_array(detail::make_state(std::move(store), node_path, metadata,
                                       std::move(values).value_or(tessera::attributes())));
}

zarr_array zarr_array::open(const std::string& path) {
  const auto [store, inner] = locate(path);
  return open(store, inner);
}

zarr_array zarr_array::create(std::shared_ptr<key_value_store> store, std::string_view path,
                              const zarr_metadata& described, const tessera::attributes& attributes,
                              existing policy) {
  const std::string node_path = detail::normalised_path(path);
  std::shared_ptr<const detail::zarr_array_state> state;
  detail::require_room(detail::underlying(store), node_path, detail::format_of(described.format));
  detail::change_alone(*store, node_path, "create an array at", [&] {
    state = detail::create_array(store, node_path, described, attributes, policy);
    detail::erase_note(*store, node_path);
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

const tessera::attributes& zarr_array::attributes() const { return state_->attributes.get(); }
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
const chunk_grid& zarr_array::shard_grid() const { return state_->unit().grid; }
const index_vector& zarr_array::shards() const { return shard_grid().chunks(); }
std::size_t zarr_array::shard_bytes() const { return state_->unit().decoded_bytes; }
std::size_t zarr_array::shard_bound() const { return state_->unit().encoded_bound; }
std::size_t zarr_array::shard_workspace() const {
  const detail::stored_unit unit = state_->unit();
  return unit.codec == nullptr ? 0 : unit.codec->workspace_size(unit.decoded_bytes);
}
std::size_t zarr_array::write_scratch_bytes() const { return state_->write_scratch_bytes(); }
const index_vector& zarr_array::chunk_strides() const { return state_->chunk_strides; }
const element_bytes& zarr_array::fill() const { return state_->fill; }

std::string zarr_array::chunk_key(std::span<const index_t> chunk) const {
  return std::string(detail::chunk_key_buffer(*state_, chunk).view());
}

bool zarr_array::has_chunk(std::span<const index_t> chunk) const {
  // No chunk is stored in 0 bytes: an empty file is the remains of a chunk after a power failure.
  return state_->store->size(detail::chunk_key_buffer(*state_, chunk).view()).value_or(0) > 0;
}

}  // namespace tessera
