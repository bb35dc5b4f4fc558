// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/array_document.hpp"

#include "tessera/core/error.hpp"

#include "codec/api/shard_codec.hpp"
#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/v3/data_type_json.hpp"
#include "zarr/v3/extension.hpp"
#include "zarr/v3/fill_value.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::detail::v3 {

namespace {

using json = nlohmann::json;

constexpr std::array<std::string_view, 11> known_members{
    "attributes", "chunk_grid",      "chunk_key_encoding",  "codecs",
    "data_type",  "dimension_names", "fill_value",          "node_type",
    "shape",      "zarr_format",     "storage_transformers"};

/// Returns a member, which must be there, as a value.
json required(const document_members& members, std::string_view name) {
  const auto text = members.find(name);
  if (!text) throw zarr_error(fmt::format("\"{}\" is missing", name));
  return parse_json(*text, fmt::format("\"{}\"", name));
}

std::vector<std::optional<std::string>> parse_names(const document_members& members,
                                                    std::size_t rank) {
  std::vector<std::optional<std::string>> names;
  const auto text = members.find("dimension_names");
  if (!text || *text == "null") return names;
  const json list = parse_json(*text, "\"dimension_names\"");
  const std::string expected = fmt::format("null or a list of {} names", rank);
  if (!list.is_array() || list.size() != rank) refuse("dimension_names", expected, list);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const json& name = list[axis];
    if (!name.is_string() && !name.is_null()) {
      refuse(fmt::format("dimension_names[{}]", axis), "a string or null", name);
    }
    names.push_back(name.is_null() ? std::nullopt : std::optional(name.get<std::string>()));
  }
  return names;
}

std::string format_names(const std::vector<std::optional<std::string>>& names) {
  std::string text;
  for (const auto& name : names) {
    text += text.empty() ? "" : ", ";
    text += name ? detail::quoted(*name) : "null";
  }
  return fmt::format("[{}]", text);
}

void refuse_transformers(const document_members& members) {
  const auto text = members.find("storage_transformers");
  if (!text) return;
  const json list = parse_json(*text, "\"storage_transformers\"");
  if (list.is_array() && list.empty()) return;
  if (!list.is_array()) refuse("storage_transformers", "an empty list", list);
  const extension first = parse_extension(list[0], "storage_transformers[0]");
  throw zarr_error(
      fmt::format("\"storage_transformers[0]\": the storage transformer {} is not supported",
                  detail::quoted(shortened(first.name))));
}

array_document parse_members(const document_members& members) {
  if (members.node_type() != "array") {
    throw zarr_error(fmt::format("\"node_type\" must be \"array\", found {}",
                                 detail::quoted(shortened(members.node_type()))));
  }
  array_document result;
  result.other_members = members.others(known_members);
  refuse_transformers(members);
  result.shape = parse_extents(required(members, "shape"), "shape", 0);
  named_type type = parse_data_type(required(members, "data_type"), "data_type");
  result.type_name = std::move(type.name);
  require_count("shape", result.shape, type.type.itemsize());
  result.grid_chunks =
      parse_chunk_grid(required(members, "chunk_grid"), "chunk_grid", result.shape);
  require_count("chunk_grid", result.grid_chunks, type.type.itemsize());
  result.keys = parse_key_encoding(required(members, "chunk_key_encoding"), "chunk_key_encoding");
  result.fill_value =
      parse_fill(required(members, "fill_value"), type.type, "fill_value", result.type_name);
  result.codecs = parse_codec_list(required(members, "codecs"), "codecs", type.type,
                                   result.grid_chunks, result.type_name == bfloat16_name);
  result.dtype = with_byte_order(type.type, result.codecs.byte_order);
  result.dimension_names = parse_names(members, result.shape.size());
  result.attributes = members.attributes();
  return result;
}

}  // namespace

array_document array_document::parse(std::string_view text) {
  try {
    return parse_members(document_members(text));
  } catch (const zarr_error& failure) {
    const std::string_view message = failure.what();
    if (message.starts_with(document_name)) throw;
    throw zarr_error(fmt::format("{}: {}", document_name, message));
  }
}

std::string array_document::to_json() const {
  std::string text = fmt::format(
      "{{\n"
      "  \"zarr_format\": 3,\n"
      "  \"node_type\": \"array\",\n"
      "  \"shape\": {},\n"
      "  \"data_type\": {},\n"
      "  \"chunk_grid\": {},\n"
      "  \"chunk_key_encoding\": {},\n"
      "  \"fill_value\": {},\n"
      "  \"codecs\": {},\n"
      "  \"attributes\": {}",
      format_extents(shape), format_data_type(dtype, type_name), format_chunk_grid(grid_chunks),
      format_key_encoding(keys), format_fill(fill_value, dtype, type_name),
      format_codec_list(codecs, dtype), attributes);
  if (!dimension_names.empty())
    text += ",\n  \"dimension_names\": " + format_names(dimension_names);
  append_members(text, other_members);
  return text + "\n}";
}

index_vector array_document::chunks() const {
  return has_parts() ? unpermuted(codecs.shards->part_shape, codecs.order) : grid_chunks;
}

index_vector array_document::shards() const { return has_parts() ? grid_chunks : index_vector{}; }

index_vector array_document::chunk_layout() const {
  index_vector layout;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    layout.push_back(static_cast<index_t>(axis));
  }
  layout = permuted(layout, codecs.order);
  return has_parts() ? permuted(layout, codecs.shards->codecs.order) : layout;
}

std::shared_ptr<const byte_codec> array_document::make_codec(bool skips_fill) const {
  return v3::make_codec(codecs, dtype, grid_chunks, fill_value, skips_fill);
}

std::shared_ptr<const byte_codec> array_document::make_chunk_codec(bool skips_fill) const {
  if (!has_parts()) return make_codec(skips_fill);
  const sharding& shards = *codecs.shards;
  return v3::make_codec(shards.codecs, dtype, shards.part_shape, fill_value, skips_fill);
}

index_vector array_document::part_grid() const {
  return parts_of_shard(permuted(grid_chunks, codecs.order), codecs.shards->part_shape);
}

std::size_t array_document::number_of_part(const index_vector& part) const {
  return part_number(permuted(part, codecs.order), part_grid());
}

bool array_document::has_parts_of_fixed_size() const {
  return has_fixed_size(codecs.shards->codecs);
}

}  // namespace tessera::detail::v3
