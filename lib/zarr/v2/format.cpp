// SPDX-License-Identifier: Apache-2.0
#include "zarr/v2/format.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "zarr/api/dimension_names.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/metadata_text.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/attribute_json.hpp"
#include "zarr/v2/consolidated_metadata.hpp"

#include <array>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace tessera::detail::v2 {

namespace {

constexpr std::array keys{array_key, attributes_key, group_key};
constexpr std::array array_keys{attributes_key, array_key};
constexpr std::array group_keys{attributes_key, group_key};

constexpr std::string_view key_of(node_kind kind) {
  return kind == node_kind::array ? array_key : group_key;
}

bool has(const key_value_store& store, std::string_view path, node_kind kind) {
  return store.exists(node_key(path, key_of(kind)));
}

std::optional<node_texts> read(const key_value_store& store, std::string_view path,
                               node_kind kind) {
  const std::string_view name = key_of(kind);
  std::optional<std::string> text = read_text(store, node_key(path, name));
  if (!text) return std::nullopt;
  return node_texts{{std::string(name), *std::move(text)}};
}

std::optional<attributes> read_attributes(const key_value_store& store, std::string_view path,
                                          const node_texts&) {
  const std::string key = node_key(path, attributes_key);
  const std::optional<std::string> text = read_text(store, key);
  if (!text) return std::nullopt;
  try {
    return parse_attributes(*text, name_of_node(store, key));
  } catch (const zarr_error& failure) {
    return attributes::unreadable(failure.what());
  }
}

zarr_metadata parse_array(const node_texts& texts) {
  return parse_metadata(texts.find(array_key)->second);
}

void require_group(const node_texts& texts, const std::string& name) {
  const std::string document = node_key(name, group_key);
  const auto object = parse_json(texts.find(group_key)->second, document);
  if (object.is_object() && object.contains("zarr_format") && object["zarr_format"] == 2) return;
  throw zarr_error(fmt::format("{}: must be a JSON object whose \"zarr_format\" is 2, found {}",
                               document, shown(object)));
}

index_vector extents_of(const attributes& members, const char* member) {
  const auto values = members.get<std::vector<std::int64_t>>(member);
  return {values.begin(), values.end()};
}

array_dimensions dimensions(const node_texts& texts) {
  const attributes members = attributes::parse(texts.find(array_key)->second);
  index_vector shape = extents_of(members, "shape");
  const auto text = texts.find(attributes_key);
  const attributes values = text == texts.end() ? attributes() : attributes::parse(text->second);
  const std::size_t rank = shape.size();
  return {std::move(shape), names_of_dimensions(values, members, rank)};
}

char separator_of(const attributes& members) {
  const attribute_value* const value = members.find("dimension_separator");
  const auto* const text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text != nullptr && *text == "/" ? '/' : '.';
}

bool states_value(const attributes& members, const char* member) {
  const attribute_value* const value = members.find(member);
  if (value == nullptr) return false;
  const auto* const text = std::get_if<json_text>(value);
  return text == nullptr || text->text != "null";
}

array_outline outline(std::string_view text, const attributes& values) {
  const attributes members = attributes::parse(text);
  index_vector shape = extents_of(members, "shape");
  std::vector<std::string> names = names_of_dimensions(values, members, shape.size());
  return {.dimensions = {std::move(shape), std::move(names)},
          .chunks = extents_of(members, "chunks"),
          .separator = separator_of(members),
          .states_fill_value = states_value(members, "fill_value")};
}

std::string with_separator(std::string_view text, char separator) {
  return with_member(text, "dimension_separator", fmt::format("\"{}\"", separator));
}

void write(key_value_store& store, std::string_view path, std::string_view name,
           std::string_view text) {
  write_text(store, node_key(path, name), text);
}

void write_attributes(key_value_store& store, std::string_view path, std::string_view values) {
  write(store, path, attributes_key, values);
}

void write_metadata(key_value_store& store, std::string_view path, std::string_view description) {
  write(store, path, array_key, description);
}

void write_array(key_value_store& store, std::string_view path, std::string_view description,
                 std::string_view values) {
  if (values != "{}") write_attributes(store, path, values);
  write_metadata(store, path, description);
}

void write_group(key_value_store& store, std::string_view path, std::string_view values) {
  if (values != "{}") write_attributes(store, path, values);
  write(store, path, group_key, "{\n    \"zarr_format\": 2\n}");
}

bool has_consolidated(const key_value_store& store, std::string_view path) {
  return store.exists(node_key(path, consolidated_key));
}

std::optional<metadata_files> parse_files(std::string_view text, std::string_view document) {
  return parse_consolidated(text, document);
}

std::unique_ptr<consolidated_editor> edit_consolidated(std::string text,
                                                       std::string_view document) {
  return std::make_unique<consolidated_text>(std::move(text), document);
}

void drop_consolidated(key_value_store& store, std::string_view path) {
  store.erase(node_key(path, consolidated_key));
}

}  // namespace

const node_format& format() {
  static constexpr node_format documents{
      .number = 2,
      .keys = keys,
      .array_keys = array_keys,
      .group_keys = group_keys,
      .array_key = array_key,
      .group_key = group_key,
      .attributes_key = attributes_key,
      .consolidated_key = consolidated_key,
      .has = has,
      .read = read,
      .read_attributes = read_attributes,
      .parse_array = parse_array,
      .require_group = require_group,
      .dimensions = dimensions,
      .outline = outline,
      .with_separator = with_separator,
      .write_array = write_array,
      .write_group = write_group,
      .write_metadata = write_metadata,
      .write_attributes = write_attributes,
      .has_consolidated = has_consolidated,
      .parse_consolidated = parse_files,
      .format_consolidated = detail::format_consolidated,
      .edit_consolidated = edit_consolidated,
      .drop_consolidated = drop_consolidated,
      .differences_of_consolidated = differences_of_consolidated,
  };
  return documents;
}

}  // namespace tessera::detail::v2
