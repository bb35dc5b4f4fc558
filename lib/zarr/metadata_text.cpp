// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/metadata_text.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"

#include <fmt/format.h>

namespace tessera::detail {

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

}  // namespace tessera::detail
