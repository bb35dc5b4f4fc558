// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/siblings.hpp"

#include "tessera/core/error.hpp"

#include "json/scanner.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"

#include <algorithm>
#include <utility>

namespace tessera::detail {

namespace {

/// Returns the array of the texts of its documents, or nullopt if they are not valid.
///
/// Only shape and names are parsed: arrays of types and codecs that are not supported have
/// dimensions as well.
std::optional<named_array> described(std::string path, const node_format& format,
                                     const node_texts& texts) {
  try {
    array_dimensions axes = format.dimensions(texts);
    return named_array{std::move(path), std::move(axes.shape), std::move(axes.names)};
  } catch (const error&) {
    return std::nullopt;
  }
}

bool may_hold_any(std::string_view text, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [text](const std::string& name) { return may_hold(text, name); });
}

/// The consolidated metadata of a group, or of the nearest group above that is consolidated.
struct known_files {
  std::string above;
  const node_format* format = nullptr;
  metadata_files files;
};

/// Returns nullopt if no group is consolidated, and no files if none contains one of `names`.
std::optional<known_files> read_consolidated(const key_value_store& store, const std::string& group,
                                             const std::vector<std::string>& names) {
  for (std::string_view above = group;; above = folder_above(above)) {
    for (const node_format* format : formats()) {
      const std::string key = node_key(above, format->consolidated_key);
      if (const auto text = read_text(store, key)) {
        // A document of a group itself may have no consolidated metadata.
        const bool is_of_group = format->consolidated_key == format->group_key;
        if (is_of_group && !format->has_consolidated(store, above)) continue;
        if (!may_hold_any(*text, names)) return known_files{};
        auto files = format->parse_consolidated(*text, key);
        if (files) return known_files{std::string(above), format, *std::move(files)};
      }
    }
    if (above.empty()) return std::nullopt;
  }
}

std::vector<named_array> arrays_of(const known_files& known, const std::string& group,
                                   const std::vector<std::string>& names) {
  const std::size_t above = known.above.empty() ? 0 : known.above.size() + 1;
  const std::string inner = group.size() > above ? group.substr(above) : std::string();
  const auto texts_of = [&](const std::string& node) {
    node_texts texts;
    for (const std::string_view name : known.format->array_keys) {
      const auto file = known.files.find(node_key(node, name));
      if (file != known.files.end()) texts.emplace(name, file->second);
    }
    return texts;
  };
  const auto is_of_interest = [&names](const auto& document) {
    return may_hold_any(document.second, names);
  };
  std::vector<named_array> arrays;
  for (const auto& [key, text] : known.files) {
    const std::string node(folder_above(key));
    if (node.empty() || folder_above(node) != inner) continue;
    if (key != node_key(node, known.format->array_key)) continue;
    const node_texts texts = texts_of(node);
    if (std::ranges::none_of(texts, is_of_interest)) continue;
    if (auto array = described(node_key(known.above, node), *known.format, texts))
      arrays.push_back(*std::move(array));
  }
  return arrays;
}

}  // namespace

std::optional<named_array> read_named_array(const key_value_store& store, const std::string& path) {
  try {
    auto node = find_node(store, path, node_kind::array);
    if (!node) return std::nullopt;
    for (const std::string_view name : node->format->array_keys) {
      if (node->texts.contains(name)) continue;
      if (auto text = read_text(store, node_key(path, name))) {
        node->texts.emplace(name, *std::move(text));
      }
    }
    return described(path, *node->format, node->texts);
  } catch (const error&) {
    return std::nullopt;
  }
}

std::vector<named_array> named_arrays_in(const key_value_store& store, const std::string& group,
                                         const std::vector<std::string>& names) {
  std::vector<named_array> arrays;
  try {
    if (const auto known = read_consolidated(store, group, names)) {
      return arrays_of(*known, group, names);
    }
    if (!store.traits().has_lists) {
      for (const std::string& name : names) {
        auto array = read_named_array(store, node_key(group, name));
        if (array) arrays.push_back(*std::move(array));
      }
      return arrays;
    }
    for (std::string entry : store.list_folder(group)) {
      if (arrays.size() >= most_named_arrays) break;
      if (entry.back() != '/') continue;
      entry.pop_back();
      if (auto array = read_named_array(store, node_key(group, entry))) {
        arrays.push_back(*std::move(array));
      }
    }
  } catch (const error&) {
    // The names are a courtesy check: a group that cannot be listed, or is being written, is
    // skipped.
  }
  return arrays;
}

}  // namespace tessera::detail
