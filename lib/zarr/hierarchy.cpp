// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/hierarchy.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/place.hpp"

#include "zarr/attribute_json.hpp"
#include "zarr/json_document.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

constexpr std::size_t longest_path = 1024;
// What other programs write is far below: the consolidated metadata of 10,000 arrays have some 10
// MB.
constexpr std::size_t greatest_metadata = std::size_t{32} << 20;

using node_visitor = std::function<void(const std::string& path, bool is_array)>;

void visit_below(const key_value_store& store, const std::string& root, const std::string& path,
                 std::size_t& count, const node_visitor& visit) {
  // Where links lead in circles there is no end of nodes.
  constexpr std::size_t greatest_count = 1'000'000;
  const std::size_t above = root.empty() ? 0 : root.size() + 1;
  for (std::string& entry : store.list_folder(path)) {
    if (entry.back() != '/') continue;
    entry.pop_back();
    const std::string place = normalised_path(node_key(path, entry));
    const bool is_array = store.exists(node_key(place, ".zarray"));
    if (!is_array && !store.exists(node_key(place, ".zgroup"))) continue;
    if (++count > greatest_count) {
      throw zarr_error(
          fmt::format("{}: has more than {} members", name_of_node(store, root), greatest_count));
    }
    visit(place.substr(above), is_array);
    if (!is_array) visit_below(store, root, place, count, visit);
  }
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

attributes read_attributes(const key_value_store& store, std::string_view path) {
  const std::string key = node_key(path, ".zattrs");
  const std::optional<std::string> text = read_text(store, key);
  if (!text) return {};
  try {
    return parse_attributes(*text, name_of_node(store, key));
  } catch (const zarr_error& failure) {
    return attributes::unreadable(failure.what());
  }
}

void write_attributes(key_value_store& store, std::string_view path, const attributes& values) {
  const std::string text = values.to_json();
  change_metadata(store, path, old_node::stays,
                  [&] { write_text(store, node_key(path, ".zattrs"), text); });
}

std::string_view folder_above(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

void make_room(key_value_store& store, std::string_view path) {
  for (std::string_view above = path; !above.empty();) {
    above = folder_above(above);
    write_group(store, above);
  }
}

void write_group(key_value_store& store, std::string_view path) {
  const std::string key = node_key(path, ".zgroup");
  if (!store.exists(key)) write_text(store, key, "{\n    \"zarr_format\": 2\n}");
}

}  // namespace tessera::detail
