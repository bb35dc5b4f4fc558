// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/hierarchy.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/folders.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

constexpr std::size_t longest_path = 1024;
// Far above the files of other programs: the consolidated metadata of 10,000 arrays have some 10
// MB.
constexpr std::size_t greatest_metadata = std::size_t{32} << 20;

using node_visitor = std::function<void(const std::string& path, bool is_array)>;

void visit_below(const key_value_store& store, const std::string& root, const std::string& path,
                 std::size_t& count, const node_visitor& visit) {
  // Symbolic links in a cycle would give nodes without end.
  constexpr std::size_t greatest_count = 1'000'000;
  const std::size_t above = root.empty() ? 0 : root.size() + 1;
  for_each_folder(store, path, [&](const key_value_store& documents, const std::string& entry) {
    const std::string node_path = normalised_path(node_key(path, entry));
    const node_kind kind = kind_of_node(documents, node_path);
    // A folder without the document of a group may hold nodes, but a hidden one does not.
    if (kind == node_kind::none && entry.front() == '.') return;
    if (++count > greatest_count) {
      throw zarr_error(
          fmt::format("{}: has more than {} members", name_of_node(store, root), greatest_count));
    }
    const bool is_array = kind == node_kind::array;
    if (kind != node_kind::none) visit(node_path.substr(above), is_array);
    if (!is_array) visit_below(store, root, node_path, count, visit);
  });
}

}  // namespace

void for_each_node_below(const key_value_store& store, const std::string& root,
                         const node_visitor& visit) {
  std::size_t count = 0;
  visit_below(store, root, root, count, visit);
}

std::string normalised_path(std::string_view path) {
  std::string result;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (name == "." || name == "..") {
      throw zarr_error(
          fmt::format("path {}: must not hold the names \".\" and \"..\"", quoted(path)));
    }
    if (!result.empty()) result += '/';
    result += name;
  }
  if (result.size() > longest_path) {
    throw zarr_error(fmt::format("path of {} characters: at most {} are supported", result.size(),
                                 longest_path));
  }
  return result;
}

std::string node_key(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}/{}", path, name);
}

std::optional<std::string> read_text(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, greatest_metadata);
  if (!value) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(value->data()), value->size());
}

void write_text(key_value_store& store, const std::string& key, std::string_view text) {
  const std::string ascii = ascii_json(text);
  store.write(key, std::as_bytes(std::span(ascii.data(), ascii.size())));
}

std::optional<versioned_text> read_versioned_text(const key_value_store& store,
                                                  const std::string& key) {
  std::string text(std::size_t{64} << 10, '\0');
  while (true) {
    const auto part = store.read_part(key, {}, std::as_writable_bytes(std::span(text)));
    if (!part) return std::nullopt;
    if (part->value_size > greatest_metadata) {
      throw store_error(fmt::format("{}: key \"{}\" has {} B, at most {} B are read", store.name(),
                                    key, part->value_size, greatest_metadata),
                        store_failure::too_large, part->value_size);
    }
    text.resize(part->value_size);
    // A larger value is read once more, whole.
    if (part->size == part->value_size) return versioned_text{std::move(text), part->version};
  }
}

bool write_text_if(key_value_store& store, const std::string& key, std::string_view text,
                   const value_version& expected) {
  const std::string ascii = ascii_json(text);
  return store.write_if(key, std::as_bytes(std::span(ascii.data(), ascii.size())), expected);
}

bool replace_text(key_value_store& store, const std::string& key, std::string_view text,
                  const value_version& expected) {
  try {
    return write_text_if(store, key, text, expected);
  } catch (const store_error& failure) {
    if (failure.kind() != store_failure::unsupported) throw;
  }
  const auto now = read_versioned_text(store, key);
  if (!now || now->version != expected) return false;
  write_text(store, key, text);
  return true;
}

attributes read_attributes(const key_value_store& store, std::string_view path) {
  for (const node_format* format : formats()) {
    if (auto values = format->read_attributes(store, path, {})) return *std::move(values);
  }
  return {};
}

void write_attributes(key_value_store& store, std::string_view path, const node_format& format,
                      const attributes& values) {
  const std::string text = values.to_json();
  change_metadata(store, path, old_node::stays,
                  [&] { format.write_attributes(store, path, text); });
}

std::string_view folder_above(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

void put_group(key_value_store& store, std::string_view path, const node_format& format,
               std::string_view values) {
  if (!format.has(truth_of(store), path, node_kind::group)) {
    format.write_group(store, path, values);
  } else if (values != "{}") {
    format.write_attributes(store, path, values);
  }
}

void make_room(key_value_store& store, std::string_view path, const node_format& format) {
  make_room(store, truth_of(store), path, format);
}

void make_room(key_value_store& store, const key_value_store& around, std::string_view path,
               const node_format& format) {
  const document_reader documents(around, path, names_of_nodes(), with_nodes_above);
  // A view may be old, and the claim of an array keeps no group: the store is asked again.
  const key_value_store& truth = truth_of(store);
  for (std::string_view above = path; !above.empty();) {
    above = folder_above(above);
    const bool is_there = format.has(documents, above, node_kind::group) ||
                          (&around != &truth && format.has(truth, above, node_kind::group));
    if (!is_there) format.write_group(store, above, "{}");
  }
}

}  // namespace tessera::detail
