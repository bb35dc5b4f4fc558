// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_destination.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "core/api/array_kinds.hpp"
#include "core/api/element_count.hpp"
#include "core/api/location_names.hpp"
#include "json/byte_text.hpp"
#include "json/values.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/coordinates.hpp"
#include "zarr/create_array.hpp"
#include "zarr/kept_index.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/store_json.hpp"
#include "zarr/stored_region.hpp"
#include "zarr/v3/array_metadata.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

namespace {

using nlohmann::json;

const bool is_known = register_array_kind(
    zarr_kind, {parse_source, parse_destination, make_intermediate_destination});

/// `store` is nullptr for an intermediate, which lies in a directory.
chunk_cost cost_of(const zarr_metadata& metadata, const key_value_store* store) {
  const auto itemsize = static_cast<index_t>(metadata.dtype.itemsize());
  chunk_cost cost{.decoded = static_cast<std::size_t>(
                      checked_multiply(num_elements(metadata.chunks), itemsize))};
  if (metadata.order != 'C' || !has_native_order(metadata.dtype)) {
    cost.scratch = cost.decoded;
  }
  if (const auto codec = metadata.make_codec()) {
    cost.encoded = codec->max_encoded_size(cost.decoded);
    cost.workspace = codec->workspace_size(cost.decoded);
  } else {
    cost.has_ranges = store == nullptr || store->traits().has_ranges;
  }
  return cost;
}

/// Returns the cost of a whole shard of an array with shards.
chunk_cost shard_cost_of(const zarr_metadata& metadata, const stored_shards& shards,
                         const key_value_store& store) {
  const bool is_row_major = shards.strides == row_major_strides(metadata.shards);
  const auto pieces = pieces_of(shards, store);
  return {.decoded = shards.decoded_bytes,
          .encoded = pieces ? pieces->encoded + pieces->index : shards.encoded_bound,
          .scratch = is_row_major && has_native_order(metadata.dtype) ? 0 : shards.decoded_bytes,
          .workspace = shards.codec->workspace_size(shards.decoded_bytes)};
}

std::vector<std::string> names_in(const json& list) {
  std::vector<std::string> names;
  for (const json& name : fields::list(list)) names.push_back(fields::byte_text(name));
  return names;
}

json region_json(const std::optional<zarr_region>& within) {
  if (!within) return nullptr;
  return {{"start", fields::of(within->box.start)},
          {"stop", fields::of(within->box.stop)},
          {"first_changed", fields::of(within->changed().start)},
          {"last_changed", fields::of(within->changed().stop)},
          {"old_shape", fields::of(within->old_shape)}};
}

/// The inverse of `region_json`; `metadata` belong to the array of the region.
std::optional<zarr_region> parse_region(const json& value, const zarr_metadata& metadata) {
  if (value.is_null()) return std::nullopt;
  region box{fields::indices(value.at("start")), fields::indices(value.at("stop"))};
  region changed{fields::indices(value.at("first_changed")),
                 fields::indices(value.at("last_changed"))};
  index_vector extents = fields::indices(value.at("old_shape"));
  const std::size_t rank = metadata.shape.size();
  bool fits = extents.size() == rank;
  for (const region* part : {&box, &changed}) {
    fits = fits && part->start.size() == rank && part->stop.size() == rank;
  }
  if (fits && region::whole(metadata.shape).contains(changed)) {
    zarr_region part = part_of(metadata.shards.empty() ? metadata.chunks : metadata.shards,
                               metadata.shape, std::move(changed), std::move(extents));
    if (part.box == box) return part;
  }
  throw value_error("found a part of an array that is not made of its chunks");
}

}  // namespace

zarr_destination_port::zarr_destination_port(zarr_destination to,
                                             std::optional<std::size_t> intermediate,
                                             std::shared_ptr<key_value_store> work_store)
    : to_(std::move(to)),
      intermediate_(intermediate),
      work_store_(std::move(work_store)),
      type_(element_type_of(to_.metadata.dtype)) {
  // An intermediate that no host could hold is refused by its size.
  if (!intermediate_) to_.metadata.validate();
  grid_ = chunk_grid(box().shape(), to_.metadata.chunks);
  write_grid_ = grid_;
  cost_ = cost_of(to_.metadata, to_.store.get());
  write_cost_ = cost_;
  if (to_.metadata.shards.empty()) return;
  write_grid_ = chunk_grid(box().shape(), to_.metadata.shards);
  const auto shards = v3::shards_of(to_.metadata);
  write_cost_ = shard_cost_of(to_.metadata, *shards, *to_.store);
  streams_ = streams_of(to_.metadata, *shards, *to_.store);
  // A chunk is read through the index of its shard.
  const std::size_t index_bytes = shards->index_bytes;
  shards_ = indexed_shards_of(to_.metadata, cost_.encoded > 0 ? cost_.encoded : cost_.decoded);
  cost_.workspace += static_cast<std::size_t>(shards_.num_kept_indexes) * index_bytes;
  cost_.requests = 2;
}

std::optional<request_cost> zarr_destination_port::requests() const {
  const std::shared_ptr<key_value_store>& store = intermediate_ ? work_store_ : to_.store;
  const bool is_by_chunk = to_.metadata.shards.empty() && !to_.within;
  return is_by_chunk && store != nullptr ? requests_.of(*store, cost_) : std::nullopt;
}

region zarr_destination_port::box() const {
  return to_.within ? to_.within->box : region::whole(to_.metadata.shape);
}

std::string zarr_destination_port::name() const {
  return to_.store == nullptr ? to_.path : name_of_node(*to_.store, to_.path);
}

zarr_array zarr_destination_port::opened() const {
  return zarr_array::open(to_.store, to_.path).with({.empty = to_.empty});
}

zarr_array zarr_destination_port::array_of_region() const {
  const zarr_array stored = zarr_array::open(underlying(to_.store), to_.path);
  return stored.with_shape(to_.metadata.shape).with({.empty = to_.empty});
}

std::unique_ptr<array_claim> zarr_destination_port::claim(const std::string& identity) const {
  claimed_part part;
  if (to_.within) {
    const bool is_append = to_.within->old_shape != to_.metadata.shape;
    part = {is_append ? claimed_part::kind::end : claimed_part::kind::chunks, to_.within->box};
  }
  return std::make_unique<write_claim>(to_.store, normalised_path(to_.path), part, identity);
}

std::shared_ptr<const array_sink> zarr_destination_port::begin_region(
    const std::string& identity) const {
  const zarr_array array = array_of_region();
  clear_region(array, *to_.within, identity);
  return as_sink(array, to_.within);
}

std::shared_ptr<const array_sink> zarr_destination_port::begin_array() const {
  const std::string path = normalised_path(to_.path);
  const zarr_array created(create_array(to_.store, path, to_.stored_metadata(),
                                        to_.stored_attributes(), to_.existing,
                                        checked_documents().get()));
  copy_coordinates(to_);
  return as_sink(created.with({.empty = to_.empty}));
}

std::shared_ptr<const array_sink> zarr_destination_port::create(const std::string& identity) const {
  auto sink = to_.within ? begin_region(identity) : begin_array();
  if (!identity.empty()) sink->mark(identity);
  return sink;
}

std::shared_ptr<const array_sink> zarr_destination_port::open() const {
  return to_.within ? as_sink(array_of_region(), to_.within) : as_sink(opened());
}

// Names of axes are no part of a run's identity, so that the array may have earlier names.
std::shared_ptr<const array_sink> zarr_destination_port::take_over() const {
  if (to_.within) return open();
  const zarr_array array = opened();
  if (intermediate_) return as_sink(array);
  copy_coordinates(to_);
  zarr_destination named = to_;
  named.attributes = array.attributes();
  const attributes values = named.stored_attributes();
  if (values == array.attributes()) return as_sink(array);
  write_attributes(*to_.store, array.path(), format_of(array.metadata().format), values);
  return open();
}

bool zarr_destination_port::exists() const {
  return has_array_node(*to_.store, normalised_path(to_.path));
}

bool zarr_destination_port::is_marked(const std::string& identity) const {
  return !identity.empty() &&
         marked_identity(*to_.store, mark_of(to_.path, to_.within)) == identity;
}

std::shared_ptr<const array_destination> zarr_destination_port::in(const std::string& run) const {
  zarr_location location = locate(name_in(run, to_.path));
  zarr_destination moved = to_;
  moved.store = std::move(location.store);
  moved.path = std::move(location.path);
  return std::make_shared<const zarr_destination_port>(std::move(moved), intermediate_,
                                                       work_store_);
}

array_recipe zarr_destination_port::recipe(const std::string& array) const {
  if (intermediate_) {
    json content{{"metadata", to_.metadata.to_json()}};
    if (work_store_ != nullptr) content["work_store"] = store_json(array, *work_store_);
    return {zarr_kind, content.dump()};
  }
  const json content{{"store", store_json(array, *to_.store)},
                     {"path", fields::of_byte_text(to_.path)},
                     {"metadata", to_.metadata.to_json()},
                     {"attributes", to_.attributes.to_json()},
                     {"omits_empty_chunks", to_.empty == empty_chunks::omit},
                     {"replaces", to_.existing == existing::replace},
                     {"within", region_json(to_.within)}};
  if (!to_.dimension_names) return {zarr_kind, content.dump()};
  json names = json::array();
  for (const std::string& name : *to_.dimension_names) names.push_back(fields::of_byte_text(name));
  json aside{{"names", std::move(names)}, {"are_given", to_.are_names_given}};
  if (to_.coordinates) {
    aside["coordinates"] = {{"store", store_json(array, *to_.coordinates->store)},
                            {"path", fields::of_byte_text(to_.coordinates->path)}};
  }
  return {zarr_kind, content.dump(), aside.dump()};
}

std::shared_ptr<const array_destination> parse_destination(const array_recipe& recipe) {
  const json value = fields::parse(recipe.content);
  if (const auto number = value.find("number"); number != value.end()) {
    zarr_destination to;
    const std::size_t i = fields::count(*number);
    to.path = fmt::format("intermediate-{}", i);
    to.metadata = zarr_metadata::parse(fields::text(value.at("metadata")));
    const auto store = value.find("work_store");
    return std::make_shared<const zarr_destination_port>(
        std::move(to), i, store == value.end() ? nullptr : parse_store(*store));
  }
  zarr_destination to{
      .store = parse_store(value.at("store")),
      .path = fields::byte_text(value.at("path")),
      .metadata = zarr_metadata::parse(fields::text(value.at("metadata"))),
      .attributes = attributes::parse(fields::text(value.at("attributes"))),
      .empty =
          fields::flag(value.at("omits_empty_chunks")) ? empty_chunks::omit : empty_chunks::write,
      .existing = fields::flag(value.at("replaces")) ? existing::replace : existing::keep};
  to.within = parse_region(value.at("within"), to.metadata);
  if (!recipe.aside.empty()) {
    const json aside = fields::parse(recipe.aside);
    to.dimension_names = names_in(aside.at("names"));
    to.are_names_given = fields::flag(aside.at("are_given"));
    if (to.dimension_names->size() != to.metadata.shape.size()) {
      throw value_error("found names of dimensions that the plan does not store");
    }
    if (const auto group = aside.find("coordinates"); group != aside.end()) {
      to.coordinates = {parse_store(group->at("store")), fields::byte_text(group->at("path"))};
    }
  }
  return as_destination(std::move(to));
}

namespace {

/// Blosc takes chunks of at most 2^31 - 17 bytes.
constexpr double most_bytes_of_blosc = 2147483631;

/// Returns the compressor of an intermediate of `type` with `chunk_elements` in a chunk: "none" if
/// a chunk is too large for Blosc.
///
/// Let c be the bandwidth of a compressor, r its ratio, s the bandwidth of storage. A byte takes
/// 1 / c to encode or decode, and saves (1 - 1 / r) / s of storage. The compressor pays off if
/// 1 / c < (1 - 1 / r) / s.
std::string_view compressor_of_intermediates(const spec& limits, const element_type& type,
                                             double chunk_elements) {
  if (chunk_elements * static_cast<double>(type.size()) > most_bytes_of_blosc) return "none";
  if (limits.intermediate_compressor != "automatic") return limits.intermediate_compressor;
  constexpr double lz4_bandwidth = 2e9;
  const bool has_fractions = type.is_number() && has_fraction(type.number());
  const double ratio = has_fractions ? 1.5 : 3;
  const auto read = static_cast<double>(limits.costs.read_bandwidth.count());
  const auto write = static_cast<double>(limits.costs.write_bandwidth.count());
  const double storage_bandwidth = 2 / (1 / read + 1 / write);
  return storage_bandwidth < lz4_bandwidth * (1 - 1 / ratio) ? "lz4" : "none";
}

/// Returns the configuration of a compressor. A plan has many intermediates: the last configuration
/// is cached.
const codec::configuration& encoding_of_intermediates(std::string_view compressor) {
  thread_local std::pair<std::string, codec::configuration> last{"none", codec::none{}};
  if (last.first == compressor) return last.second;
  last.second =
      compressor == "none"
          ? codec::configuration(codec::none{})
          : codec::configuration(codec::blosc{.cname = std::string(compressor), .clevel = 1});
  last.first = compressor;
  return last.second;
}

}  // namespace

std::shared_ptr<const array_destination> make_intermediate_destination(std::size_t number,
                                                                       const element_type& type,
                                                                       const index_vector& shape,
                                                                       const index_vector& chunks,
                                                                       const spec& limits) {
  zarr_destination to;
  to.path = fmt::format("intermediate-{}", number);
  to.metadata.shape = shape;
  to.metadata.chunks = chunks;
  to.metadata.dtype = type.is_number() ? data_type(type.number()) : data_type::parse(type.text());
  // Every chunk is written. Without a fill value a missing chunk is an error, and not zeros.
  to.metadata.fill_value = std::nullopt;
  to.metadata.compressor =
      encoding_of_intermediates(compressor_of_intermediates(limits, type, element_count(chunks)));
  return std::make_shared<const zarr_destination_port>(std::move(to), number,
                                                       far_store_of(limits.work_dir));
}

}  // namespace detail

attributes zarr_destination::stored_attributes() const {
  constexpr std::string_view name = "_ARRAY_DIMENSIONS";
  if (!dimension_names) return attributes;
  tessera::attributes values;
  for (const auto& [key, value] : attributes) {
    if (metadata.format == 2 || key != name) values.set(key, value);
  }
  if (metadata.format == 2) values.set(name, *dimension_names);
  return values;
}

zarr_metadata zarr_destination::stored_metadata() const {
  zarr_metadata named = metadata;
  if (metadata.format == 2 || !dimension_names) return named;
  named.dimension_names.assign(dimension_names->begin(), dimension_names->end());
  return named;
}

bool zarr_arrays_are_known() { return detail::is_known; }

std::shared_ptr<const array_destination> as_destination(zarr_destination to) {
  return std::make_shared<const detail::zarr_destination_port>(std::move(to));
}

zarr_region part_of(const index_vector& chunks, const index_vector& shape, region elements,
                    index_vector extents) {
  region box = elements;
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    box.start[axis] = box.start[axis] / chunks[axis] * chunks[axis];
    box.stop[axis] =
        std::min(ceil_divide(box.stop[axis], chunks[axis]) * chunks[axis], shape[axis]);
  }
  if (elements.empty() || box == elements) return {std::move(elements), std::move(extents)};
  return {std::move(box), std::move(extents), std::move(elements)};
}

zarr_destination append_destination(const zarr_array& array, std::size_t axis, index_t count) {
  zarr_destination to;
  to.store = array.store();
  to.path = array.path();
  to.metadata = array.metadata();
  const auto part_behind = [&](index_t end) {
    index_vector extents = array.shape();
    extents[axis] = end;
    to.metadata.shape[axis] = end + count;
    region elements = region::whole(to.metadata.shape);
    elements.start[axis] = end;
    return part_of(array.shards(), to.metadata.shape, std::move(elements), std::move(extents));
  };
  const index_t end = array.shape()[axis];
  if (count > 0 && count <= end) {
    to.within = part_behind(end - count);
    if (array.store()->exists(detail::mark_of(array.path(), to.within))) return to;
  }
  to.within = part_behind(end);
  return to;
}

}  // namespace tessera
