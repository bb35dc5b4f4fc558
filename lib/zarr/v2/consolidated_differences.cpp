// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/v2/consolidated_metadata.hpp"
#include "zarr/v2/format.hpp"

#include <fmt/format.h>
#include <optional>

namespace tessera::detail::v2 {

namespace {

/// Tells whether two texts are the same JSON value. Malformed texts are compared as bytes.
bool say_the_same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  try {
    return parse_json(a, "") == parse_json(b, "");
  } catch (const error&) {
    return false;
  }
}

/// Removes a file from the consolidated files; adds its difference from the stored text, if any.
void compare(const std::string& name, const std::optional<std::string>& text, metadata_files& files,
             std::vector<std::string>& differences) {
  if (!text) return;
  const auto entry = files.find(name);
  if (entry == files.end()) {
    differences.push_back(fmt::format("{} is not in it", name));
    return;
  }
  // zarr-python 3 adds members to `.zgroup`.
  if (!name.ends_with(group_key) && !say_the_same(*text, entry->second)) {
    differences.push_back(fmt::format("{} is another one there", name));
  }
  files.erase(entry);
}

}  // namespace

std::vector<std::string> differences_of_consolidated(const key_value_store& store,
                                                     const std::string& group,
                                                     const std::vector<std::string>& paths) {
  const std::string key = node_key(group, consolidated_key);
  metadata_files files = parse_consolidated(read_text(store, key).value_or(""), key);
  std::vector<std::string> differences;
  for (const std::string& path : paths) {
    for (const std::string_view name : format().keys) {
      const std::string inner = node_key(path, name);
      compare(inner, read_text(store, node_key(group, inner)), files, differences);
    }
  }
  for (const auto& [name, text] : files) {
    // zarr-python 3 consolidates empty attributes of nodes that have no `.zattrs`.
    if (name.ends_with(attributes_key) && say_the_same(text, "{}")) continue;
    differences.push_back(fmt::format("{} is in it and does not exist", name));
  }
  return differences;
}

}  // namespace tessera::detail::v2
