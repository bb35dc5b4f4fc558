// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/metadata_text.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"

#include "zarr/consolidated_metadata.hpp"
#include "zarr/json_document.hpp"
#include "zarr/json_scanner.hpp"

#include <fmt/format.h>
#include <optional>

namespace tessera::detail {

namespace {

/// Tells whether two texts are the same JSON; malformed ones are if they are the same letters.
bool say_the_same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  try {
    return parse_json(a, "") == parse_json(b, "");
  } catch (const error&) {
    return false;
  }
}

/// Takes a file from the consolidated ones; adds how the two differ.
void compare(const std::string& name, const std::optional<std::string>& text, metadata_files& files,
             std::vector<std::string>& differences) {
  if (!text) return;
  const auto entry = files.find(name);
  if (entry == files.end()) {
    differences.push_back(fmt::format("{} is not in it", name));
    return;
  }
  // zarr-python 3 adds members to `.zgroup`.
  if (!name.ends_with(".zgroup") && !say_the_same(*text, entry->second)) {
    differences.push_back(fmt::format("{} is another one there", name));
  }
  files.erase(entry);
}

}  // namespace

std::string with_member(std::string_view object, std::string_view name, std::string_view value) {
  std::string text = "{";
  const auto append = [&text](std::string_view name_text, std::string_view value_text) {
    text += fmt::format("{}\n    {}: {}", text.size() > 1 ? "," : "", name_text, value_text);
  };
  bool is_there = false;
  for (const json_member& member : members_of(object, "metadata")) {
    const bool is_wanted = member.name == name;
    is_there = is_there || is_wanted;
    append(member.name_text, is_wanted ? value : member.value_text);
  }
  if (!is_there) append(quoted(name), value);
  return text + "\n}";
}

std::vector<std::string> differences_of_consolidated(const key_value_store& store,
                                                     const std::string& group,
                                                     const std::vector<std::string>& paths) {
  const std::string key = node_key(group, ".zmetadata");
  metadata_files files = parse_consolidated(read_text(store, key).value_or(""), key);
  std::vector<std::string> differences;
  for (const std::string& path : paths) {
    for (const char* name : {".zarray", ".zattrs", ".zgroup"}) {
      const std::string inner = node_key(path, name);
      compare(inner, read_text(store, node_key(group, inner)), files, differences);
    }
  }
  for (const auto& [name, text] : files) {
    // zarr-python 3 states empty attributes of nodes that have no file of them.
    if (name.ends_with(".zattrs") && say_the_same(text, "{}")) continue;
    differences.push_back(fmt::format("{} is in it and does not exist", name));
  }
  return differences;
}

}  // namespace tessera::detail
