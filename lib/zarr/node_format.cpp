// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/node_format.hpp"

#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "codec/api/v3_names.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/v2/format.hpp"
#include "zarr/v3/fill_value.hpp"
#include "zarr/v3/format.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::detail {

std::span<const node_format* const> formats() {
  static const std::array list{&v3::format(), &v2::format()};
  return list;
}

const node_format& default_format() { return v2::format(); }

const node_format& format_of(int number) {
  for (const node_format* format : formats()) {
    if (format->number == number) return *format;
  }
  throw zarr_error(fmt::format("Zarr v{} is not supported", number));
}

std::optional<stored_node> find_node(const key_value_store& store, std::string_view path,
                                     node_kind kind) {
  for (const node_format* format : formats()) {
    if (auto texts = format->read(store, path, kind)) {
      return stored_node{kind, format, *std::move(texts)};
    }
  }
  return std::nullopt;
}

bool has_node(const key_value_store& store, std::string_view path, node_kind kind) {
  return std::ranges::any_of(
      formats(), [&](const node_format* format) { return format->has(store, path, kind); });
}

node_kind kind_of_node(const key_value_store& store, std::string_view path) {
  if (has_array_node(store, path)) return node_kind::array;
  return has_group_node(store, path) ? node_kind::group : node_kind::none;
}

namespace {

/// Returns the group at or above the folder above `path`, or nullopt without one.
std::optional<stored_node> find_group_above(const key_value_store& store, std::string_view path,
                                            std::string& group) {
  const document_reader documents(store, path, names_of_group_documents(), with_nodes_above);
  for (std::string_view above = path; !above.empty();) {
    above = folder_above(above);
    group = above;
    if (auto node = find_node(documents, above, node_kind::group)) return node;
  }
  return std::nullopt;
}

}  // namespace

const node_format& format_for(const key_value_store& store, std::string_view path,
                              const node_format& otherwise) {
  std::string group;
  const auto above = find_group_above(store, path, group);
  return above ? *above->format : otherwise;
}

void require_format_above(const key_value_store& store, std::string_view path,
                          const node_format& format) {
  std::string group;
  const auto above = find_group_above(store, path, group);
  if (!above || above->format->number == format.number) return;
  throw value_error(fmt::format(
      "cannot create {} as Zarr v{}: the group {} is of Zarr v{}, and a group has one format; ask "
      "for .format = {}, or choose a path outside of the group",
      name_of_node(store, path), format.number, name_of_node(store, group), above->format->number,
      above->format->number));
}

zarr_metadata in_format(zarr_metadata metadata, int number) {
  if (metadata.format == number) return metadata;
  metadata.format = number;
  metadata.other_members = {};
  metadata.dimension_names = {};
  if (number == 3) {
    metadata.key_style = chunk_key_style::prefixed;
    metadata.dimension_separator = '/';
    // Version 3 always states a fill value.
    if (!metadata.fill_value) metadata.fill_value = v3::default_fill(metadata.dtype);
    return metadata;
  }
  metadata.key_style = chunk_key_style::plain;
  metadata.dimension_separator = '.';
  metadata.shards = {};
  metadata.type_name = {};
  metadata.codec_list = {};
  // A filter behind a filter that only version 3 has may take the type of its output.
  const bool has_later_filters = std::ranges::any_of(
      metadata.filters,
      [](const codec::configuration& filter) { return is_of_version_3(id_of(filter)); });
  if (has_later_filters) metadata.filters = {};
  if (metadata.order.name() == '\0') metadata.order = 'C';
  return metadata;
}

std::string names_of_documents(node_kind kind, std::string_view conjunction) {
  std::string text;
  for (const node_format* format : formats()) {
    if (!text.empty()) text += fmt::format(" {} ", conjunction);
    text += kind == node_kind::array ? format->array_key : format->group_key;
  }
  return text;
}

bool is_node_document(std::string_view name) {
  return std::ranges::any_of(formats(), [name](const node_format* format) {
    return std::ranges::find(format->keys, name) != format->keys.end();
  });
}

bool is_document(std::string_view name) {
  return is_node_document(name) ||
         std::ranges::any_of(formats(), [name](const node_format* format) {
           return format->consolidated_key == name;
         });
}

}  // namespace tessera::detail
