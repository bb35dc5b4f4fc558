// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/array_metadata.hpp"

#include "tessera/codec/options.hpp"
#include "tessera/core/error.hpp"

#include "codec/api/shard_codec.hpp"
#include "codec/api/v3_names.hpp"
#include "json/document.hpp"
#include "zarr/attribute_json.hpp"
#include "zarr/v3/data_type_json.hpp"
#include "zarr/v3/error_name.hpp"
#include "zarr/v3/fill_value.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::detail::v3 {

namespace {

/// Returns the byte order of the elements, or nullopt if it does not matter.
std::optional<std::endian> find_byte_order(const data_type& type) {
  if (type.kind() != data_kind::structured) {
    return has_byte_order(type) ? std::optional(type.byte_order()) : std::nullopt;
  }
  for (const data_field& field : type.fields()) {
    if (const auto order = find_byte_order(field.type)) return order;
  }
  return std::nullopt;
}

std::endian byte_order_of(const data_type& type) {
  const std::endian order = find_byte_order(type).value_or(std::endian::little);
  if (with_byte_order(type, order) == type) return order;
  throw zarr_error(
      fmt::format("Zarr v3 has one byte order for all fields of a record, found several in {}",
                  type.to_json()));
}

/// The codecs of a list as the members of metadata.
struct codec_members {
  std::vector<codec::configuration> filters;
  codec::configuration compressor = codec::none{};

  [[nodiscard]] bool operator==(const codec_members&) const = default;
};

/// Returns the list of the codecs that encode a single chunk.
const codec_list& innermost(const array_document& document) {
  return document.has_parts() ? document.codecs.shards->codecs : document.codecs;
}

/// The last codec of bytes becomes the compressor, codecs in front of it become filters.
codec_members members_of_list(const codec_list& codecs) {
  codec_members result;
  // Nested shards, and shards inside of a codec of bytes, are in the list alone.
  if (codecs.shards != nullptr) return result;
  result.filters = codecs.filters;
  for (std::size_t i = 0; i + 1 < codecs.compressors.size(); ++i) {
    result.filters.push_back(codecs.compressors[i].codec);
  }
  if (!codecs.compressors.empty()) result.compressor = codecs.compressors.back().codec;
  return result;
}

codec_list list_of(const zarr_metadata& metadata) {
  codec_list list;
  list.byte_order = byte_order_of(metadata.dtype);
  list.is_bfloat16 = metadata.type_name == bfloat16_name;
  const index_vector axes = metadata.order.axes(metadata.shape.size());
  if (!std::is_sorted(axes.begin(), axes.end())) list.order = axes;
  codec_elements elements = metadata.dtype.stored_elements();
  for (const codec::configuration& filter : metadata.filters) {
    const std::string id = id_of(filter);
    if (kind_of_codec(id) == codec_kind::bytes_to_bytes) {
      list.compressors.push_back({filter, 0});
      continue;
    }
    if (!list.compressors.empty()) {
      throw zarr_error(
          fmt::format("Zarr v3 has filters of elements in front of codecs of bytes alone, found "
                      "\"{}\" behind \"{}\"",
                      id, id_of(list.compressors.back().codec)));
    }
    list.filters.push_back(filter.completed(elements));
    elements = list.filters.back().make(elements)->encoded_elements();
  }
  const std::string id = id_of(metadata.compressor);
  if (id.empty()) return list;
  if (kind_of_codec(id) != codec_kind::bytes_to_bytes) {
    throw zarr_error(fmt::format(
        "Zarr v3 has \"{}\" as a filter and not as a compressor; put it among the filters", id));
  }
  list.compressors.push_back({metadata.compressor, 0});
  return list;
}

std::vector<raw_member> raw_members(const attributes& members) {
  std::vector<raw_member> result;
  for (const auto& [name, value] : members) result.push_back({name, format_attribute(value)});
  return result;
}

attributes parsed_members(const std::vector<raw_member>& members) {
  std::string text;
  for (const raw_member& member : members) {
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : ", ", detail::quoted(member.name), member.text);
  }
  return parse_attributes(fmt::format("{{{}}}", text), document_name);
}

/// Returns the document in which the other members determine the codecs.
array_document canonical(const zarr_metadata& metadata) {
  array_document document;
  document.shape = metadata.shape;
  document.grid_chunks = metadata.shards.empty() ? metadata.chunks : metadata.shards;
  document.keys = {metadata.key_style == chunk_key_style::prefixed, metadata.dimension_separator};
  document.dtype = metadata.dtype;
  document.type_name = metadata.type_name;
  document.fill_value = metadata.fill_value.value_or(default_fill(metadata.dtype));
  document.codecs = list_of(metadata);
  if (!metadata.shards.empty()) {
    static_cast<void>(parts_of_shard(metadata.shards, metadata.chunks));
    codec_list outer{.byte_order = document.codecs.byte_order,
                     .is_bfloat16 = document.codecs.is_bfloat16};
    outer.shards =
        std::make_shared<const sharding>(sharding{metadata.chunks, std::move(document.codecs), {}});
    document.codecs = std::move(outer);
  }
  document.dimension_names = metadata.dimension_names;
  document.other_members = raw_members(metadata.other_members);
  return document;
}

/// Tells whether `codecs` are the list `usual`, which states no size of elements, in the most
/// frequent case: elements that one codec of bytes encodes. False is not certain.
bool are_usual(const codec_list& codecs, const codec_list& usual, const data_type& type) {
  const bool is_plain = codecs.shards == nullptr && codecs.filters.empty() && !codecs.packing &&
                        !codecs.is_bfloat16 && codecs.compressors.size() == 1;
  if (!is_plain || usual.shards != nullptr || usual.compressors.size() != 1) return false;
  const std::size_t size = codecs.compressors.front().typesize;
  if (size != 0 && size != type.stored_elements().itemsize) return false;
  codec_list without_size = codecs;
  without_size.compressors.front().typesize = usual.compressors.front().typesize;
  return without_size == usual;
}

/// Tells whether the codecs of `document` agree with the other members of `metadata`.
bool agree(const array_document& document, const zarr_metadata& metadata) {
  const codec_members members = members_of_list(innermost(document));
  // Elements of one byte have no order; their filters may have one.
  const bool has_same_order = !find_byte_order(metadata.dtype) ||
                              document.codecs.byte_order == byte_order_of(metadata.dtype);
  return document.chunks() == metadata.chunks && document.shards() == metadata.shards &&
         chunk_layout(document.chunk_layout()) == metadata.order && has_same_order &&
         members == codec_members{metadata.filters, metadata.compressor};
}

}  // namespace

zarr_metadata metadata_of(const array_document& document) {
  zarr_metadata result;
  result.format = 3;
  result.shape = document.shape;
  result.chunks = document.chunks();
  result.shards = document.shards();
  result.dtype = document.dtype;
  result.order = chunk_layout(document.chunk_layout());
  result.fill_value = document.fill_value;
  result.dimension_separator = document.keys.separator;
  result.key_style = document.keys.has_prefix ? chunk_key_style::prefixed : chunk_key_style::plain;
  result.dimension_names = document.dimension_names;
  result.other_members = parsed_members(document.other_members);
  const std::string usual_type = format_data_type(document.dtype);
  if (format_data_type(document.dtype, document.type_name) != usual_type) {
    result.type_name = document.type_name;
  }
  codec_members members = members_of_list(innermost(document));
  result.filters = std::move(members.filters);
  result.compressor = std::move(members.compressor);
  if (are_usual(document.codecs, canonical(result).codecs, document.dtype)) return result;
  std::string codecs = format_codec_list(document.codecs, document.dtype);
  if (format_codec_list(canonical(result).codecs, document.dtype) != codecs) {
    result.codec_list = std::move(codecs);
  }
  return result;
}

array_document document_of(const zarr_metadata& metadata) {
  array_document document = canonical(metadata);
  if (metadata.codec_list.empty()) return document;
  array_document detailed = document;
  // With shards inside of a codec of bytes, `shards` is empty, and the chunk is the whole.
  try {
    detailed.codecs =
        parse_codec_list(parse_json(metadata.codec_list, "codecs"), "codecs", metadata.dtype,
                         document.grid_chunks, metadata.type_name == bfloat16_name);
  } catch (const zarr_error&) {
    return document;  // the details are of other extents
  }
  return agree(detailed, metadata) ? detailed : document;
}

std::shared_ptr<const stored_shards> shards_of(const zarr_metadata& metadata) {
  if (metadata.shards.empty()) return nullptr;
  const array_document document = document_of(metadata);
  auto result = std::make_shared<stored_shards>();
  result->grid = chunk_grid(metadata.shape, metadata.shards);
  result->parts = parts_of_shard(metadata.shards, metadata.chunks);
  result->index_order = document.codecs.order;
  result->index = document.codecs.shards->index;
  result->is_fixed_size = document.has_parts_of_fixed_size();
  result->codec = document.make_codec();
  result->omitting_codec = document.make_codec(true);
  const std::size_t rank = metadata.shape.size();
  const chunk_layout layout =
      document.codecs.order.empty() ? chunk_layout() : chunk_layout(document.codecs.order);
  result->strides = rank == 0 ? index_vector() : layout.strides(metadata.shards);
  result->index_bytes = index_size(result->index, document.part_grid());
  result->decoded_bytes =
      static_cast<std::size_t>(num_elements(metadata.shards)) * metadata.dtype.itemsize();
  result->encoded_bound = result->codec->max_encoded_size(result->decoded_bytes);
  return result;
}

void validate(const zarr_metadata& metadata) {
  for (const raw_member& member : raw_members(metadata.other_members)) {
    const std::string text = fmt::format("{{\"zarr_format\": 3, \"node_type\": \"array\", {}: {}}}",
                                         detail::quoted(member.name), member.text);
    const document_members members(text);  // refers to the text
    constexpr std::array<std::string_view, 2> known{"node_type", "zarr_format"};
    static_cast<void>(members.others(known));
  }
  const std::size_t rank = metadata.shape.size();
  if (!metadata.dimension_names.empty() && metadata.dimension_names.size() != rank) {
    throw zarr_error(
        fmt::format("\"dimension_names\" must have a name for each axis, found {} for {}",
                    metadata.dimension_names.size(), format_shape(metadata.shape)));
  }
  with_name(document_name, [&] { static_cast<void>(document_of(metadata)); });
}

}  // namespace tessera::detail::v3
