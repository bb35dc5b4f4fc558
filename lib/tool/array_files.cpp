// SPDX-License-Identifier: Apache-2.0
#include "tool/array_files.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/attributes.hpp"
#include "tessera/zarr/dimension_names.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_set>

namespace tessera::tool {

namespace {

index_vector extents_of(const attributes& members, const char* member) {
  const auto values = members.get<std::vector<std::int64_t>>(member);
  return {values.begin(), values.end()};
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

bool is_nested(const array_description& array) {
  return array.separator == '/' && array.grid.rank() > 1;
}

std::string name_of_chunk(const array_description& array, const index_vector& chunk) {
  if (chunk.empty()) return "0";
  return fmt::format("{}", fmt::join(chunk, std::string(1, array.separator)));
}

bool is_metadata(std::string_view name) {
  return name == ".zarray" || name == ".zattrs" || name == ".zgroup" || name == ".zmetadata";
}

}  // namespace

bool is_like_chunk(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.back() == '.') return false;
  return name.find("..") == std::string_view::npos &&
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

array_description describe_array(const key_value_store& store, const std::string& path,
                                 std::optional<char> separator) {
  const std::string key = detail::node_key(path, ".zarray");
  array_description array;
  array.name = detail::name_of_node(store, path);
  array.zarray = detail::read_text(store, key).value_or("");
  try {
    const attributes members = attributes::parse(array.zarray);
    array.grid = chunk_grid(extents_of(members, "shape"), extents_of(members, "chunks"));
    static_cast<void>(array.grid.size());
    array.separator = separator.value_or(separator_of(members));
    array.states_fill_value = states_value(members, "fill_value");
    array.dimension_names = detail::names_of_dimensions(detail::read_attributes(store, path),
                                                        members, array.grid.rank());
  } catch (const error& failure) {
    throw zarr_error(fmt::format("{}: {}", detail::name_of_node(store, key), failure.what()));
  }
  return array;
}

std::optional<index_vector> chunk_named(const array_description& array, std::string_view name) {
  const index_vector& counts = array.grid.num_chunks();
  if (counts.empty()) return name == "0" ? std::optional(index_vector{}) : std::nullopt;
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
  std::string dotted = name;
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
      if (!is_metadata(name)) sort_in(array, name, files);
      continue;
    }
    const std::string_view folder = std::string_view(name).substr(0, name.size() - 1);
    if (!is_like_chunk(folder)) {
      files.stray.push_back(name);
    } else if (!is_nested(array)) {
      files.outside.push_back(name);
    } else {
      for (const std::string& key : store.list(detail::node_key(path, folder))) {
        sort_in(array, key.substr(above), files);
      }
    }
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

}  // namespace tessera::tool
