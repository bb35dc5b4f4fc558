// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/node_document.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/v3/extension.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::detail::v3 {

namespace {

using json = nlohmann::json;

constexpr std::array<std::string_view, 4> group_members{"attributes", "consolidated_metadata",
                                                        "node_type", "zarr_format"};

/// Tells whether a reader may ignore the extension `text`.
bool may_be_ignored(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::vector<json_member> members = members_of(text, document_name);
  return std::ranges::any_of(members, [](const json_member& member) {
    return member.name == "must_understand" && member.value_text == "false";
  });
}

std::string_view text_of(const std::vector<json_member>& members, std::string_view name) {
  const auto match = std::ranges::find(members, name, &json_member::name);
  return match == members.end() ? std::string_view() : match->value_text;
}

/// Returns the object "metadata" of an inline "consolidated_metadata", or "" for null and for
/// another kind.
std::string_view inline_metadata(std::string_view text) {
  if (text == "null") return {};
  const std::vector<json_member> members = members_of(text, "zarr.json: \"consolidated_metadata\"");
  if (text_of(members, "kind") != "\"inline\"") return {};
  const std::string_view metadata = text_of(members, "metadata");
  if (!metadata.starts_with('{')) {
    throw zarr_error(
        fmt::format("zarr.json: \"consolidated_metadata.metadata\" must be an object, found {}",
                    excerpt(metadata)));
  }
  return metadata;
}

void require_group(const document_members& members) {
  if (members.node_type() == "group") return;
  throw zarr_error(fmt::format("zarr.json: \"node_type\" must be \"group\", found {}",
                               detail::quoted(shortened(members.node_type()))));
}

void require_size(std::string_view text) {
  if (text.size() <= max_document_size) return;
  throw zarr_error(
      fmt::format("zarr.json: must have at most {} B, found {} B", max_document_size, text.size()));
}

}  // namespace

bool states_group(std::string_view text) {
  require_size(text);
  bool has_escapes = false;
  int num_versions = 0;
  int num_types = 0;
  const auto count = [&](std::string_view name, std::string_view value) {
    has_escapes |= name.find('\\') != name.npos;
    if (name == "\"zarr_format\"") num_versions += value == "3" ? 1 : 2;
    if (name == "\"node_type\"") {
      num_types += value == "\"group\"" ? 1 : 2;
      has_escapes |= value.find('\\') != value.npos;
    }
  };
  for_each_member(text, document_name, count);
  if (has_escapes) return document_members(text).node_type() == "group";
  return num_versions == 1 && num_types == 1;
}

document_members::document_members(std::string_view text) {
  require_size(text);
  for (json_member& member : members_of(text, document_name)) {
    members_.push_back({std::move(member.name), member.value_text});
  }
  std::ranges::sort(members_, {}, &member::name);
  const auto twice = std::ranges::adjacent_find(members_, {}, &member::name);
  if (twice != members_.end()) {
    throw zarr_error(fmt::format("zarr.json: the member {} must occur once, found twice",
                                 detail::quoted(shortened(twice->name))));
  }
  const std::string_view format = find("zarr_format").value_or("nothing");
  if (format != "3") {
    throw zarr_error(
        fmt::format("zarr.json: \"zarr_format\" must be 3, found {}", excerpt(format)));
  }
  const std::string_view type_text = find("node_type").value_or("null");
  if (type_text == "\"array\"" || type_text == "\"group\"") {
    node_type_ = type_text.substr(1, type_text.size() - 2);
    return;
  }
  const json type = parse_json(type_text, document_name);
  if (!type.is_string()) {
    throw zarr_error(fmt::format(
        "zarr.json: \"node_type\" must be \"array\" or \"group\", found {}", shown(type)));
  }
  node_type_ = type.get<std::string>();
}

std::optional<std::string_view> document_members::find(std::string_view name) const {
  const auto match = std::ranges::lower_bound(members_, name, {}, &member::name);
  if (match == members_.end() || match->name != name) return std::nullopt;
  return match->text;
}

std::string_view document_members::attributes() const {
  const std::string_view text = find("attributes").value_or("{}");
  if (text.starts_with('{')) return text;
  throw zarr_error(
      fmt::format("zarr.json: \"attributes\" must be an object, found {}", excerpt(text)));
}

std::vector<raw_member> document_members::others(std::span<const std::string_view> known) const {
  std::vector<raw_member> result;
  for (const member& member : members_) {
    if (std::ranges::find(known, member.name) != known.end()) continue;
    if (!may_be_ignored(member.text)) {
      throw zarr_error(
          fmt::format("zarr.json: {} is no member of the specification, and is not marked by "
                      "\"must_understand\": false, found {}",
                      detail::quoted(shortened(member.name)), excerpt(member.text)));
    }
    result.push_back({member.name, std::string(member.text)});
  }
  return result;
}

void append_members(std::string& text, const std::vector<raw_member>& members) {
  for (const raw_member& member : members) {
    text += fmt::format(",\n  {}: {}", detail::quoted(member.name), member.text);
  }
}

std::optional<std::string_view> find_consolidated(const document_members& members) {
  require_group(members);
  static_cast<void>(members.attributes());
  const std::string_view text = members.find("consolidated_metadata").value_or("null");
  const std::string_view metadata = inline_metadata(text);
  static_cast<void>(members.others(group_members));
  return metadata.empty() ? std::nullopt : std::optional(metadata);
}

group_document group_document::parse(std::string_view text) {
  const document_members members(text);
  require_group(members);
  const std::string_view consolidated = members.find("consolidated_metadata").value_or("null");
  const bool is_inline = !inline_metadata(consolidated).empty();
  return {std::string(members.attributes()), is_inline ? std::string(consolidated) : std::string(),
          members.others(group_members)};
}

std::string group_document::to_json() const {
  std::string text = fmt::format(
      "{{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"attributes\": {}", attributes);
  if (!consolidated.empty()) text += ",\n  \"consolidated_metadata\": " + consolidated;
  append_members(text, other_members);
  return text + "\n}";
}

}  // namespace tessera::detail::v3
