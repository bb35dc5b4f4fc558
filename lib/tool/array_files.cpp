// SPDX-License-Identifier: Apache-2.0
#include "tool/array_files.hpp"

#include "tessera/core/error.hpp"
#include "tessera/storage/attributes.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_set>

namespace tessera::tool {

namespace {

bool has_prefix(const array_description& array) {
  return array.key_style == chunk_key_style::prefixed;
}

/// Returns a name without the prefix that the keys of chunks have.
std::string_view without_prefix(const array_description& array, std::string_view name) {
  const bool is_prefixed =
      has_prefix(array) && name.size() > 2 && name.front() == 'c' && name[1] == array.separator;
  return is_prefixed ? name.substr(2) : name;
}

}  // namespace

std::string name_of_chunk(const array_description& array, const index_vector& chunk) {
  if (chunk.empty()) return has_prefix(array) ? "c" : "0";
  const std::string indices = fmt::format("{}", fmt::join(chunk, std::string(1, array.separator)));
  return has_prefix(array) ? fmt::format("c{}{}", array.separator, indices) : indices;
}

bool is_like_chunk(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.back() == '.') return false;
  return name.find("..") == std::string_view::npos &&
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

array_description describe_array(const key_value_store& store, const std::string& path,
                                 std::optional<char> separator) {
  array_description array;
  array.name = detail::name_of_node(store, path);
  auto node = detail::find_node(store, path, detail::node_kind::array);
  if (node) array.format = node->format;
  const detail::node_format& format = *array.format;
  const std::string key = detail::node_key(path, format.array_key);
  if (node) array.document = std::move(node->texts.find(format.array_key)->second);
  try {
    const auto values = format.read_attributes(store, path, {});
    const detail::array_outline outline =
        format.outline(array.document, values.value_or(attributes()));
    array.grid = chunk_grid(outline.dimensions.shape, outline.chunks);
    array.chunks = outline.parts.empty() ? outline.chunks : outline.parts;
    static_cast<void>(array.grid.size());
    array.separator = separator.value_or(outline.separator);
    array.key_style = outline.key_style;
    array.states_fill_value = outline.states_fill_value;
    array.dimension_names = outline.dimensions.names;
  } catch (const error& failure) {
    throw zarr_error(fmt::format("{}: {}", detail::name_of_node(store, key), failure.what()));
  }
  return array;
}

std::optional<index_vector> chunk_named(const array_description& array, std::string_view name) {
  const index_vector& counts = array.grid.num_chunks();
  if (counts.empty()) {
    return name == name_of_chunk(array, {}) ? std::optional(index_vector{}) : std::nullopt;
  }
  const std::string_view indices = without_prefix(array, name);
  if (has_prefix(array) && indices.size() == name.size()) return std::nullopt;
  name = indices;
  index_vector chunk;
  while (chunk.size() < counts.size()) {
    const std::size_t end = std::min(
        chunk.size() + 1 == counts.size() ? name.size() : name.find(array.separator), name.size());
    const std::string_view digits = name.substr(0, end);
    index_t index = -1;
    const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + end, index);
    // Readers look for numbers without leading zeros.
    const bool is_number = failure == std::errc{} && stop == digits.data() + end && index >= 0 &&
                           (end == 1 || digits.front() != '0');
    if (!is_number || index >= counts[chunk.size()]) return std::nullopt;
    chunk.push_back(index);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return chunk;
}

namespace {

void sort_in(const array_description& array, std::string name, array_files& files) {
  if (chunk_named(array, name)) {
    files.chunks.push_back(std::move(name));
    return;
  }
  std::string dotted(without_prefix(array, name));
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  (is_like_chunk(dotted) ? files.outside : files.stray).push_back(std::move(name));
}

}  // namespace

array_files files_of_array(const key_value_store& store, const std::string& path,
                           const array_description& array) {
  array_files files;
  const std::size_t above = path.empty() ? 0 : path.size() + 1;
  for (const std::string& name : store.list_folder(path)) {
    if (name.back() != '/') {
      if (!detail::is_document(name)) sort_in(array, name, files);
      continue;
    }
    const std::string_view folder = std::string_view(name).substr(0, name.size() - 1);
    const bool is_of_chunks = has_prefix(array) ? folder == "c" : is_like_chunk(folder);
    if (!is_of_chunks) {
      files.stray.push_back(name);
      continue;
    }
    const std::vector<std::string> keys = store.list(detail::node_key(path, folder));
    for (const std::string& key : keys) sort_in(array, key.substr(above), files);
    if (keys.empty() && array.separator != '/') files.outside.push_back(name);
  }
  return files;
}

index_t count_missing(const array_description& array, const array_files& files) {
  return array.grid.size() - static_cast<index_t>(files.chunks.size());
}

std::string first_missing(const array_description& array, const array_files& files) {
  const std::unordered_set<std::string_view> present(files.chunks.begin(), files.chunks.end());
  index_t first = 0;
  while (present.contains(name_of_chunk(array, array.grid.chunk_at(first)))) ++first;
  return name_of_chunk(array, array.grid.chunk_at(first));
}

void require_chunks(const array_description& array, const array_files& files,
                    std::string_view option) {
  const index_t missing = count_missing(array, files);
  if (missing == 0 || option == "fill" || (option.empty() && array.states_fill_value)) return;
  const std::string others =
      missing == 1 ? " is missing" : fmt::format(" and {} more are missing", missing - 1);
  throw zarr_error(fmt::format(
      "chunk {}{}{}", first_missing(array, files), others,
      option.empty() ? ", and the array states no fill value, so that nothing says what they hold; "
                       "with --missing fill they are zeros, as zarr-python reads them"
                     : ", and --missing error is asked for"));
}

}  // namespace tessera::tool
