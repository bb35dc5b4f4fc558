// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/array_files.hpp"

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/error.hpp"
#include "tessera/storage/attributes.hpp"

#include "zarr/api/copy_mark.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/array_ports.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <utility>

namespace tessera::detail {

namespace {

/// The first part of keys with a prefix.
constexpr std::string_view key_prefix = "c";

/// Returns the outline of an array, or nullopt if its document is malformed.
std::optional<array_outline> outline_of(const stored_node& node, const attributes& values) {
  try {
    return node.format->outline(node.texts.find(node.format->array_key)->second, values);
  } catch (const error&) {
    return std::nullopt;
  }
}

chunk_names names_in_outline(const array_outline& outline, const index_vector& shape) {
  return {chunk_grid(shape, outline.chunks).num_chunks(), outline.separator, outline.key_style};
}

/// Returns the names of the chunks of the array that the document at `path` describes, or nullopt
/// if it describes none. Marks of appends tell of chunks behind the end of the array.
std::optional<chunk_names> names_by_document(const key_value_store& store,
                                             const std::string& path) {
  const auto node = find_node(store, path, node_kind::array);
  if (!node) return std::nullopt;
  const auto values = node->format->read_attributes(store, path, node->texts);
  const auto outline = outline_of(*node, values.value_or(attributes()));
  if (!outline) return std::nullopt;
  index_vector shape = outline->dimensions.shape;
  // A store without lists tells no marks of appends.
  if (!store.traits().has_lists) return names_in_outline(*outline, shape);
  for (const std::string& name : store.list_folder(path)) {
    const auto marked = marked_region(name, shape.size());
    for (std::size_t axis = 0; marked && axis < shape.size(); ++axis) {
      shape[axis] = std::max(shape[axis], marked->box.stop[axis]);
    }
  }
  return names_in_outline(*outline, shape);
}

void sort_in(const chunk_names& names, std::string name, array_files& files) {
  if (names.chunk_of(name)) {
    files.chunks.push_back(std::move(name));
    return;
  }
  std::string indices = name;
  const bool is_prefixed = names.style == chunk_key_style::prefixed && name.size() > 2 &&
                           name.starts_with(key_prefix) && name[1] == names.separator;
  if (is_prefixed) indices.erase(0, 2);
  std::ranges::replace(indices, '/', '.');
  (is_like_chunk(indices) ? files.outside : files.stray).push_back(std::move(name));
}

}  // namespace

std::string chunk_names::name_of(const index_vector& chunk) const {
  const bool is_prefixed = style == chunk_key_style::prefixed;
  if (chunk.empty()) return is_prefixed ? std::string(key_prefix) : "0";
  const std::string indices = fmt::format("{}", fmt::join(chunk, std::string(1, separator)));
  return is_prefixed ? fmt::format("{}{}{}", key_prefix, separator, indices) : indices;
}

std::optional<index_vector> parse_chunk_name(std::string_view name, std::size_t rank,
                                             char separator, chunk_key_style style) {
  const bool is_prefixed = style == chunk_key_style::prefixed;
  index_vector chunk;
  if (rank == 0) {
    return name == (is_prefixed ? key_prefix : "0") ? std::optional(chunk) : std::nullopt;
  }
  if (is_prefixed) {
    if (name.size() < 2 || !name.starts_with(key_prefix) || name[1] != separator) {
      return std::nullopt;
    }
    name.remove_prefix(2);
  }
  while (chunk.size() < rank) {
    index_t index = -1;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
    const auto length = static_cast<std::size_t>(end - name.data());
    // Readers look for numbers without leading zeros.
    if (failure != std::errc{} || index < 0 || (length > 1 && name[0] == '0')) return std::nullopt;
    chunk.push_back(index);
    name.remove_prefix(length);
    if (chunk.size() == rank) break;
    if (name.empty() || name[0] != separator) return std::nullopt;
    name.remove_prefix(1);
  }
  return name.empty() ? std::optional(chunk) : std::nullopt;
}

std::optional<index_vector> parse_chunk_name(std::string_view name, const zarr_metadata& metadata) {
  return parse_chunk_name(name, metadata.shape.size(), metadata.dimension_separator,
                          metadata.key_style);
}

std::optional<index_vector> chunk_names::chunk_of(std::string_view name) const {
  auto chunk = parse_chunk_name(name, counts.size(), separator, style);
  const bool is_inside = chunk && std::ranges::equal(*chunk, counts, std::less<>{});
  return is_inside ? std::move(chunk) : std::nullopt;
}

bool chunk_names::meets(std::string_view name) const {
  while (name.ends_with('/')) name.remove_suffix(1);
  if (name.empty()) return true;
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    if (chunk_of(name.substr(0, end))) return true;
    if (end == std::string_view::npos) break;
  }
  if (separator != '/') return false;
  std::string inner(name);
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    inner += "/0";
    if (chunk_of(inner)) return true;
  }
  return false;
}

bool chunk_names::contains(const chunk_names& fresh) const {
  return style == fresh.style && separator == fresh.separator &&
         std::ranges::equal(fresh.counts, counts, std::less_equal<>{});
}

chunk_names chunk_names_of(const zarr_metadata& metadata) {
  const index_vector& extents = metadata.shards.empty() ? metadata.chunks : metadata.shards;
  return {chunk_grid(metadata.shape, extents).num_chunks(), metadata.dimension_separator,
          metadata.key_style};
}

std::optional<chunk_names> stored_chunk_names(const key_value_store& store,
                                              const std::string& path) {
  if (auto names = names_by_document(store, path)) return names;
  const auto mark = copy_mark::read(store, path);
  const auto marked = mark ? mark->array_around("") : std::nullopt;
  return marked ? std::optional(marked->names()) : std::nullopt;
}

array_files files_of_array(const key_value_store& store, const std::string& path,
                           const chunk_names& names) {
  array_files files;
  const bool is_prefixed = names.style == chunk_key_style::prefixed;
  const std::size_t above = path.empty() ? 0 : path.size() + 1;
  for (const std::string& name : store.list_folder(path)) {
    if (name.back() != '/') {
      if (!is_document(name)) sort_in(names, name, files);
      continue;
    }
    const std::string_view folder = std::string_view(name).substr(0, name.size() - 1);
    const bool is_of_chunks = is_prefixed ? folder == key_prefix : is_like_chunk(folder);
    if (!is_of_chunks) {
      files.stray.push_back(name);
      continue;
    }
    const std::vector<std::string> keys = store.list(node_key(path, folder));
    for (const std::string& key : keys) sort_in(names, key.substr(above), files);
    if (keys.empty() && names.separator != '/') files.outside.push_back(name);
  }
  return files;
}

array_files files_of_unknown(const key_value_store& store, const std::string& path) {
  array_files files;
  for (const std::string& name : store.list_folder(path)) {
    if (is_document(name)) continue;
    const std::string_view first = std::string_view(name).substr(0, name.find('/'));
    const bool is_like_key = is_like_chunk(first) || first == key_prefix;
    (is_like_key ? files.outside : files.stray).push_back(name);
  }
  return files;
}

bool is_like_chunk(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.back() == '.') return false;
  return name.find("..") == std::string_view::npos &&
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace tessera::detail
