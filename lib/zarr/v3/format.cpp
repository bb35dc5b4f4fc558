// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/format.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/api/dimension_names.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/metadata_text.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/attribute_json.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/v3/array_metadata.hpp"
#include "zarr/v3/chunk_grid_json.hpp"
#include "zarr/v3/error_name.hpp"
#include "zarr/v3/extension.hpp"
#include "zarr/v3/group_text.hpp"
#include "zarr/v3/node_document.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace tessera::detail::v3 {

namespace {

constexpr std::array keys{document_name};

/// Returns the kind of node that a document states. A document that is no group is an array's:
/// opening it reports the fault.
node_kind kind_of(std::string_view text) {
  try {
    return states_group(text) ? node_kind::group : node_kind::array;
  } catch (const zarr_error&) {
    return node_kind::array;
  }
}

std::string_view document_in(const node_texts& texts) { return texts.find(document_name)->second; }

std::optional<node_texts> read(const key_value_store& store, std::string_view path,
                               node_kind kind) {
  std::optional<std::string> text = read_text(store, node_key(path, document_name));
  if (!text || kind_of(*text) != kind) return std::nullopt;
  return node_texts{{std::string(document_name), *std::move(text)}};
}

bool has(const key_value_store& store, std::string_view path, node_kind kind) {
  return read(store, path, kind).has_value();
}

attributes attributes_of(std::string_view text, const std::string& name) {
  try {
    return parse_attributes(document_members(text).attributes(), name);
  } catch (const zarr_error& failure) {
    return attributes::unreadable(fmt::format("{}: {}", name, failure.what()));
  }
}

std::optional<attributes> read_attributes(const key_value_store& store, std::string_view path,
                                          const node_texts& texts) {
  const std::string key = node_key(path, document_name);
  const std::string name = name_of_node(store, key);
  const auto given = texts.find(document_name);
  if (given != texts.end()) return attributes_of(given->second, name);
  const std::optional<std::string> text = read_text(store, key);
  return text ? std::optional(attributes_of(*text, name)) : std::nullopt;
}

attributes select(const node_texts& texts, std::span<const std::string_view> names) {
  try {
    return select_attributes(document_members(document_in(texts)).attributes(), document_name,
                             names);
  } catch (const zarr_error& failure) {
    return attributes::unreadable(failure.what());
  }
}

zarr_metadata parse_array(const node_texts& texts) { return parse_metadata(document_in(texts)); }

void require_group(const node_texts& texts, const std::string& name) {
  with_name(name,
            [&] { static_cast<void>(find_consolidated(document_members(document_in(texts)))); });
}

nlohmann::json member_of(const document_members& members, std::string_view name) {
  const auto text = members.find(name);
  if (!text) throw zarr_error(fmt::format("\"{}\" is missing", name));
  return parse_json(*text, name);
}

array_dimensions dimensions_of(const document_members& members, const attributes& values) {
  index_vector shape = parse_extents(member_of(members, "shape"), "shape", 0);
  std::vector<std::string> names;
  const auto text = members.find("dimension_names");
  const auto list = parse_json(text.value_or("null"), "dimension_names");
  if (list.is_array() && list.size() == shape.size()) {
    for (const auto& name : list) names.push_back(name.is_string() ? name.get<std::string>() : "");
  } else {
    names = names_of_dimensions(values, {}, shape.size());
  }
  return {std::move(shape), std::move(names)};
}

array_dimensions dimensions(const node_texts& texts) {
  const std::string_view text = document_in(texts);
  return dimensions_of(document_members(text), attributes_of(text, std::string(document_name)));
}

/// Returns the extents of the parts of shards; empty without shards, or of unknown codecs.
index_vector parts_in(std::string_view text) {
  try {
    zarr_metadata metadata = parse_metadata(text);
    return metadata.shards.empty() ? index_vector{} : std::move(metadata.chunks);
  } catch (const zarr_error&) {
    return {};
  }
}

array_outline outline(std::string_view text, const attributes& values) {
  const document_members members(text);
  array_outline result;
  result.dimensions = dimensions_of(members, values);
  result.states_fill_value = true;
  result.chunks =
      parse_chunk_grid(member_of(members, "chunk_grid"), "chunk_grid", result.dimensions.shape);
  result.parts = parts_in(text);
  const key_encoding encoding =
      parse_key_encoding(member_of(members, "chunk_key_encoding"), "chunk_key_encoding");
  result.separator = encoding.separator;
  result.key_style = encoding.has_prefix ? chunk_key_style::prefixed : chunk_key_style::plain;
  return result;
}

std::string with_separator(std::string_view text, char separator) {
  key_encoding encoding = parse_key_encoding(
      member_of(document_members(text), "chunk_key_encoding"), "chunk_key_encoding");
  encoding.separator = separator;
  return with_member(text, "chunk_key_encoding", format_key_encoding(encoding));
}

void write(key_value_store& store, std::string_view path, std::string_view text) {
  write_text(store, node_key(path, document_name), text);
}

/// Returns the document that is stored: the consolidated metadata that a handle remembers may be
/// older.
std::string read_document(key_value_store& store, std::string_view path) {
  const std::string key = node_key(path, document_name);
  if (auto text = read_text(truth_of(store), key)) return *std::move(text);
  throw zarr_error(fmt::format("{} is missing", name_of_node(store, key)));
}

/// Writes the text that `edit` returns for the stored document. If the store has conditions and the
/// document changes meanwhile, `edit` is applied to the new text: all of a node is in one value.
template <class Edit>
void rewrite(key_value_store& store, std::string_view path, Edit edit) {
  const std::string key = node_key(path, document_name);
  while (store.traits().has_conditions) {
    const auto now = read_versioned_text(truth_of(store), key);
    if (!now || !now->version.is_known()) break;
    if (replace_text(store, key, edit(now->text), now->version)) return;
  }
  write(store, path, edit(read_document(store, path)));
}

void write_attributes(key_value_store& store, std::string_view path, std::string_view values) {
  rewrite(store, path,
          [&](const std::string& text) { return with_member(text, "attributes", values); });
}

/// Members of the same value keep their text, and so do unknown members.
void write_metadata(key_value_store& store, std::string_view path, std::string_view description) {
  rewrite(store, path, [&](std::string text) {
    for (const json_member& member : members_of(description, document_name)) {
      if (member.name == "attributes") continue;
      const auto old = document_members(text).find(member.name);
      const std::string document(document_name);
      if (old && parse_json(*old, document) == parse_json(member.value_text, document)) continue;
      text = with_member(text, member.name, member.value_text);
    }
    return text;
  });
}

void write_array(key_value_store& store, std::string_view path, std::string_view description,
                 std::string_view values) {
  write(store, path, with_member(description, "attributes", values));
}

void write_group(key_value_store& store, std::string_view path, std::string_view values) {
  write(store, path, group_document{.attributes = std::string(values)}.to_json());
}

void drop_consolidated(key_value_store& store, std::string_view path) {
  rewrite(store, path, [](const std::string& text) { return without_consolidated(text); });
}

bool has_consolidated(const key_value_store& store, std::string_view path) {
  const auto text = read_text(store, node_key(path, document_name));
  if (!text || !may_hold(*text, "consolidated_metadata")) return false;
  try {
    return !group_document::parse(*text).consolidated.empty();
  } catch (const zarr_error&) {
    return false;
  }
}

}  // namespace

zarr_metadata parse_metadata(std::string_view text) {
  return metadata_of(array_document::parse(text));
}

std::string format_metadata(const zarr_metadata& metadata) {
  metadata.validate();
  return document_of(metadata).to_json();
}

const node_format& format() {
  static constexpr node_format documents{
      .number = 3,
      .keys = keys,
      .array_keys = keys,
      .group_keys = keys,
      .array_key = document_name,
      .group_key = document_name,
      .attributes_key = document_name,
      .consolidated_key = document_name,
      .has = has,
      .read = read,
      .read_attributes = read_attributes,
      .select_attributes = select,
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
      .format_consolidated = format_files,
      .edit_consolidated = edit_consolidated,
      .drop_consolidated = drop_consolidated,
      .differences_of_consolidated = differences_of_consolidated,
  };
  return documents;
}

}  // namespace tessera::detail::v3
