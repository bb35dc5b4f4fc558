// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/siblings.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/dimension_names.hpp"
#include "tessera/zarr/hierarchy.hpp"

#include "zarr/consolidated_metadata.hpp"
#include "zarr/json_scanner.hpp"

#include <algorithm>
#include <utility>

namespace tessera::detail {

namespace {

/// Returns the array that the texts of its metadata files describe; nothing where they do not.
///
/// No more of them is understood than is needed: arrays of types and codecs that are not supported
/// have dimensions as well.
std::optional<named_array> described(std::string path, const std::optional<std::string>& zarray,
                                     const std::optional<std::string>& zattrs) {
  if (!zarray) return std::nullopt;
  try {
    const auto members = attributes::parse(*zarray);
    const auto extents = members.get<std::vector<std::int64_t>>("shape");
    const index_vector shape(extents.begin(), extents.end());
    const attributes values = zattrs ? attributes::parse(*zattrs) : attributes();
    return named_array{std::move(path), shape, names_of_dimensions(values, members, shape.size())};
  } catch (const error&) {
    return std::nullopt;
  }
}

bool may_hold_any(std::string_view text, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [text](const std::string& name) { return may_hold(text, name); });
}

/// The consolidated metadata of a group, or of the nearest one above it that has some.
struct known_files {
  std::string above;
  metadata_files files;
};

/// Returns nothing where there are none; no files where none of them has one of `names` in it.
std::optional<known_files> read_consolidated(const key_value_store& store, const std::string& group,
                                             const std::vector<std::string>& names) {
  for (std::string_view above = group;; above = folder_above(above)) {
    const std::string key = node_key(above, ".zmetadata");
    if (const auto text = read_text(store, key)) {
      if (!may_hold_any(*text, names)) return known_files{};
      return known_files{std::string(above), parse_consolidated(*text, key)};
    }
    if (above.empty()) return std::nullopt;
  }
}

std::vector<named_array> arrays_of(const known_files& known, const std::string& group,
                                   const std::vector<std::string>& names) {
  const std::size_t above = known.above.empty() ? 0 : known.above.size() + 1;
  const std::string inner = group.size() > above ? group.substr(above) : std::string();
  const auto text_of = [&](const std::string& key) {
    const auto found = known.files.find(key);
    return found == known.files.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<named_array> found;
  for (const auto& [key, text] : known.files) {
    const std::string node(folder_above(key));
    if (!key.ends_with("/.zarray") || folder_above(node) != inner) continue;
    const std::optional<std::string> zattrs = text_of(node_key(node, ".zattrs"));
    if (!may_hold_any(text, names) && !(zattrs && may_hold_any(*zattrs, names))) continue;
    if (auto one = described(node_key(known.above, node), text, zattrs))
      found.push_back(*std::move(one));
  }
  return found;
}

}  // namespace

std::optional<named_array> read_named_array(const key_value_store& store, const std::string& path) {
  try {
    return described(path, read_text(store, node_key(path, ".zarray")),
                     read_text(store, node_key(path, ".zattrs")));
  } catch (const error&) {
    return std::nullopt;
  }
}

std::vector<named_array> named_arrays_in(const key_value_store& store, const std::string& group,
                                         const std::vector<std::string>& names) {
  std::vector<named_array> found;
  try {
    if (const auto known = read_consolidated(store, group, names)) {
      return arrays_of(*known, group, names);
    }
    for (std::string entry : store.list_folder(group)) {
      if (found.size() >= most_named_arrays) break;
      if (entry.back() != '/') continue;
      entry.pop_back();
      if (auto one = read_named_array(store, node_key(group, entry))) {
        found.push_back(*std::move(one));
      }
    }
  } catch (const error&) {
    // A group that cannot be listed, or whose metadata somebody is writing, says nothing.
  }
  return found;
}

}  // namespace tessera::detail
