// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/copy_mark.hpp"

#include "zarr/api/hierarchy.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

constexpr std::string_view clearing = "clearing ";
constexpr std::size_t longest_mark = std::size_t{64} << 20;

/// Removes the first line from `text` and returns it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Returns the numbers in `name`, each with one added: the number of chunks of a grid along each
/// axis, if `name` is of its last chunk.
index_vector counts_of(std::string_view name) {
  index_vector counts;
  while (!name.empty()) {
    index_t last = 0;
    const auto [stop, failure] = std::from_chars(name.data(), name.data() + name.size(), last);
    if (failure != std::errc{} || last < 0) return {};
    counts.push_back(last + 1);
    const auto length = static_cast<std::size_t>(stop - name.data());
    name.remove_prefix(std::min(length + 1, name.size()));
  }
  return counts;
}

bool holds_path(std::string_view folder, std::string_view path) {
  if (folder.empty() || path == folder) return true;
  return path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

chunk_names marked_array::names() const {
  chunk_names names;
  std::string_view name = last_chunk;
  names.separator = name.find('/') == std::string_view::npos ? '.' : '/';
  if (name.starts_with('c')) {
    names.style = chunk_key_style::prefixed;
    name.remove_prefix(std::min<std::size_t>(name.size(), 2));
  }
  names.counts = counts_of(name);
  return names;
}

copy_mark copy_mark::parse(std::string_view text) {
  copy_mark mark;
  mark.is_clearing = text.starts_with(clearing);
  if (mark.is_clearing) text.remove_prefix(clearing.size());
  mark.identity = take_line(text);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    mark.arrays.push_back(
        {std::string(line.substr(blank + 1)), std::string(line.substr(0, blank))});
  }
  return mark;
}

std::optional<copy_mark> copy_mark::read(const key_value_store& store, const std::string& root) {
  const auto content = store.read_all(node_key(root, copy_mark_name), longest_mark);
  if (!content) return std::nullopt;
  return parse({reinterpret_cast<const char*>(content->data()), content->size()});
}

std::string copy_mark::text() const {
  std::string text = fmt::format("{}{}\n", is_clearing ? clearing : "", identity);
  for (const marked_array& array : arrays) {
    text += fmt::format("{} {}\n", array.last_chunk, array.path);
  }
  return text;
}

std::optional<marked_array> copy_mark::array_around(std::string_view path) const {
  const auto array = std::ranges::find_if(
      arrays, [path](const marked_array& marked) { return holds_path(marked.path, path); });
  return array == arrays.end() ? std::nullopt : std::optional(*array);
}

}  // namespace tessera::detail
