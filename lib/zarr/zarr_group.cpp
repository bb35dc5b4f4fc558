// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_group.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "zarr/api/claim_array.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/folders.hpp"
#include "zarr/missing_node.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

/// Returns the group at `path` of `store`. Its documents come from `reader`.
detail::stored_node require_group(const std::shared_ptr<key_value_store>& store,
                                  const key_value_store& reader, const std::string& path) {
  auto node = detail::find_node(reader, path, detail::node_kind::group);
  if (!node) detail::throw_no_node(store, path, "group");
  node->format->require_group(node->texts, detail::name_of_node(*store, path));
  return *std::move(node);
}

/// Returns the names of the nodes of `kind` in the group `path`.
std::vector<std::string> children(const key_value_store& store, const std::string& path,
                                  detail::node_kind kind) {
  std::vector<std::string> names;
  detail::for_each_folder(store, path,
                          [&](const key_value_store& documents, const std::string& folder) {
                            if (detail::has_node(documents, detail::node_key(path, folder), kind)) {
                              names.push_back(folder);
                            }
                          });
  return names;
}

/// Returns the arrays below the group `path`.
std::vector<std::string> arrays_below(const key_value_store& store, const std::string& path) {
  std::vector<std::string> arrays;
  detail::for_each_node_below(store, path, [&](const std::string& inner, bool is_array) {
    if (is_array) arrays.push_back(detail::node_key(path, inner));
  });
  return arrays;
}

/// Returns a store that reads the metadata at and below the group `path` from its consolidated
/// metadata, or `store` itself if there are none or the store is consolidated already.
std::shared_ptr<key_value_store> with_consolidated(std::shared_ptr<key_value_store> store,
                                                   detail::document_reader& reader,
                                                   const std::string& path) {
  if (detail::underlying(store) != store) return store;
  // The documents of some thousand arrays.
  constexpr std::size_t usual_size = std::size_t{4} << 20;
  reader.prepare(detail::names_of_consolidated_documents(), usual_size);
  for (const detail::node_format* format : detail::formats()) {
    const std::string key = detail::node_key(path, format->consolidated_key);
    const std::optional<std::string> text = detail::read_text(reader, key);
    if (!text) continue;
    auto files = format->parse_consolidated(*text, detail::name_of_node(*store, key));
    if (!files) return store;
    return std::make_shared<detail::consolidated_store>(std::move(store), path, *format,
                                                        *std::move(files));
  }
  return store;
}

/// Returns the format of the group at `path`, of the group above it, or the one that is asked for.
///
/// Throws: value_error <- they differ.
const detail::node_format& format_of_new_group(const key_value_store& store,
                                               const std::string& path, std::optional<int> number) {
  const detail::node_format& wanted =
      number ? detail::format_of(*number) : detail::default_format();
  const auto old = detail::find_node(store, path, detail::node_kind::group);
  const detail::node_format& format = old ? *old->format : detail::format_for(store, path, wanted);
  if (!number || format.number == *number) return format;
  if (!old) detail::require_format_above(store, path, wanted);
  throw value_error(fmt::format(
      "cannot create a group at {} as Zarr v{}: one of Zarr v{} is there; ask for .format = {}, or "
      "choose another path",
      detail::name_of_node(store, path), *number, format.number, format.number));
}

}  // namespace

zarr_group::zarr_group(std::shared_ptr<key_value_store> store, std::string path,
                       tessera::attributes attributes)
    : store_(std::move(store)), path_(std::move(path)), attributes_(std::move(attributes)) {}

zarr_group zarr_group::open(std::shared_ptr<key_value_store> store, std::string_view path,
                            consolidated use) {
  std::string node_path = detail::normalised_path(path);
  if (use != consolidated::use) store = detail::underlying(store);
  detail::document_reader documents(*store, node_path);
  if (use == consolidated::use) store = with_consolidated(std::move(store), documents, node_path);
  const bool is_consolidated = detail::underlying(store) != store;
  if (!is_consolidated) documents.prepare(detail::names_of_group_documents());
  const key_value_store& reader = is_consolidated ? *store : documents;
  const detail::stored_node node = require_group(store, reader, node_path);
  auto values = node.format->read_attributes(reader, node_path, node.texts);
  return zarr_group(std::move(store), std::move(node_path),
                    std::move(values).value_or(tessera::attributes()));
}

zarr_group zarr_group::open(const std::string& path, consolidated use) {
  const auto [store, inner] = locate(path);
  return open(store, inner, use);
}

zarr_group zarr_group::create(std::shared_ptr<key_value_store> store, std::string_view path,
                              const tessera::attributes& attributes, std::optional<int> number) {
  const std::string node_path = detail::normalised_path(path);
  const std::string values = attributes.to_json();
  const auto truth = detail::underlying(store);
  const detail::node_format& format = format_of_new_group(*truth, node_path, number);
  const auto write = [&] {
    detail::change_metadata(*store, node_path, detail::old_node::stays, [&] {
      if (detail::has_array_node(*truth, node_path)) {
        throw zarr_error(
            fmt::format("cannot create a group at {}: an array is there, remove it or "
                        "choose another path",
                        detail::name_of_node(*store, node_path)));
      }
      detail::require_no_array_above(truth, node_path);
      detail::make_room(*store, node_path, format);
      detail::put_group(*store, node_path, format, values);
    });
  };
  // An existing group is not written, so that a read-only group is opened.
  if (attributes.empty() && detail::has_group_node(*truth, node_path)) {
    write();
  } else {
    detail::change_alone(*truth, node_path, "create a group at", write);
  }
  return open(std::move(store), node_path);
}

zarr_group zarr_group::create(const std::string& path, const tessera::attributes& attributes,
                              std::optional<int> format) {
  const auto [store, inner] = locate(path);
  return create(store, inner, attributes, format);
}

std::vector<std::string> zarr_group::arrays() const {
  return children(*store_, path_, detail::node_kind::array);
}

std::vector<std::string> zarr_group::groups() const {
  return children(*store_, path_, detail::node_kind::group);
}

std::vector<zarr_member> zarr_group::members() const {
  std::vector<zarr_member> nodes;
  detail::for_each_node_below(*store_, path_, [&](const std::string& path, bool is_array) {
    nodes.push_back({path, is_array});
  });
  std::sort(nodes.begin(), nodes.end(),
            [](const zarr_member& a, const zarr_member& b) { return a.path < b.path; });
  return nodes;
}

bool zarr_group::is_consolidated() const { return detail::underlying(store_) != store_; }

void zarr_group::erase(std::string_view name) const {
  const std::string path = detail::node_key(path_, detail::normalised_path(name));
  if (path == path_ || detail::kind_of_node(*store_, path) == detail::node_kind::none) {
    throw zarr_error(fmt::format("cannot remove {}: neither an array nor a group is there",
                                 detail::name_of_node(*store_, path)));
  }
  const std::shared_ptr<key_value_store> truth = detail::underlying(store_);
  const auto remove = [&] {
    detail::change_metadata(*store_, path, detail::old_node::goes,
                            [&] { store_->erase_all(path); });
  };
  if (!detail::has_group_node(*truth, path)) {
    return detail::change_alone(*truth, path, "remove", remove);
  }
  const auto claim = detail::claim_array(truth, path);
  detail::refuse_claims_below(*truth, arrays_below(*truth, path), "remove");
  remove();
}

void consolidate(const zarr_group& group) {
  const auto store = detail::underlying(group.store());
  static_cast<void>(require_group(store, *store, group.path()));
  detail::write_consolidated(*store, group.path());
}

zarr_array zarr_group::array(std::string_view name) const {
  return zarr_array::open(store_, detail::node_key(path_, name));
}

zarr_group zarr_group::group(std::string_view name) const {
  return open(store_, detail::node_key(path_, name));
}

}  // namespace tessera
