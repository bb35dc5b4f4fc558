// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/group_text.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/key_value_store.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/v3/node_document.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail::v3 {

namespace {

constexpr std::string_view member_name = "consolidated_metadata";
constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks) + 1;
  return end > begin ? text.substr(begin, end - begin) : std::string_view();
}

std::string_view required_object(std::string_view text, std::string_view name) {
  const std::string_view object = trimmed(text);
  if (!object.starts_with('{')) {
    throw zarr_error(
        fmt::format("{}: must be a JSON object, found {}", shortened(name), excerpt(text)));
  }
  require_json(object, name);
  return object;
}

std::string entry_of(std::string_view path, std::string_view text) {
  require_node_path(path);
  return fmt::format("{}: {}", detail::quoted(path), required_object(text, path));
}

std::optional<json_member> find_member(std::string_view object, std::string_view name,
                                       std::string_view document) {
  for (json_member& member : members_of(object, document)) {
    if (member.name == name) return std::move(member);
  }
  return std::nullopt;
}

bool is_below(std::string_view path, std::string_view folder) {
  return folder.empty() ||
         (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

/// Returns the members of the metadata, checked.
std::vector<json_member> nodes_in(std::string_view metadata) {
  std::vector<json_member> members = members_of(metadata, document_name);
  for (const json_member& member : members) {
    require_node_path(member.name);
    if (member.value_text.starts_with('{')) continue;
    throw zarr_error(fmt::format(
        "zarr.json: \"consolidated_metadata.metadata.{}\" must be a JSON object, found {}",
        shortened(member.name), excerpt(member.value_text)));
  }
  return members;
}

}  // namespace

void require_node_path(std::string_view path) {
  const auto refuse = [&] {
    throw zarr_error(fmt::format(
        "zarr.json: {} is no path of a node below a group: names must not be empty, dots alone, "
        "zarr.json, or begin with __",
        detail::quoted(shortened(path))));
  };
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    const bool has_dots_alone = name.find_first_not_of('.') == std::string_view::npos;
    if (has_dots_alone || name.starts_with("__") || name == document_name) refuse();
    begin = end + 1;
  }
  try {
    validate_key(std::string(path));
  } catch (const store_error& failure) {
    throw zarr_error(
        fmt::format("zarr.json: \"consolidated_metadata.metadata\": {}", failure.what()));
  }
}

std::optional<node_documents> parse_consolidated(const document_members& group) {
  const auto metadata = find_consolidated(group);
  if (!metadata) return std::nullopt;
  node_documents nodes;
  for (const json_member& member : nodes_in(*metadata)) {
    if (nodes.emplace(member.name, member.value_text).second) continue;
    throw zarr_error(
        fmt::format("zarr.json: \"consolidated_metadata.metadata.{}\" must occur once, found twice",
                    shortened(member.name)));
  }
  return nodes;
}

std::string with_consolidated(std::string_view group, const node_documents& nodes) {
  std::string entries;
  for (const auto& [path, text] : nodes) {
    entries += entries.empty() ? "\n      " : ",\n      ";
    entries += entry_of(path, without_consolidated(text));
  }
  std::string text = without_consolidated(group);
  const std::size_t end = text.find_last_of('}');
  const std::string_view body = trimmed(std::string_view(text).substr(0, end));
  return fmt::format(
      "{}{}\n  \"{}\": {{\n    \"kind\": \"inline\",\n    \"must_understand\": false,\n    "
      "\"metadata\": {{{}{}}}\n  }}\n}}",
      body, body.ends_with('{') ? "" : ",", member_name, entries, entries.empty() ? "" : "\n    ");
}

std::string without_consolidated(std::string_view group) {
  const std::string_view object = required_object(group, document_name);
  if (!find_member(object, member_name, document_name)) return std::string(group);
  std::string text;
  for (const json_member& member : members_of(object, document_name)) {
    if (member.name == member_name) continue;
    text +=
        fmt::format("{}\n  {}: {}", text.empty() ? "" : ",", member.name_text, member.value_text);
  }
  return fmt::format("{{{}\n}}", text);
}

group_text::group_text(std::string text) : text_(std::move(text)) {
  metadata_ = find_consolidated(document_members(text_));
  const auto attributes = find_member(text_, "attributes", document_name);
  const std::size_t begin = text_.find('{') + 1;
  attributes_ = attributes ? attributes->value_text : std::string_view(text_).substr(begin, 0);
  if (!metadata_) return;
  const std::vector<json_member> members = nodes_in(*metadata_);
  entries_.reserve(members.size() + 8);
  for (const json_member& member : members) {
    const char* const begin_of_entry = member.name_text.data();
    const char* const end = member.value_text.data() + member.value_text.size();
    entries_.push_back({member.name, std::string(begin_of_entry, end)});
  }
}

void group_text::set_attributes(std::string_view text) {
  const std::string_view object = required_object(text, "attributes");
  has_new_attributes_ = object != attributes_;
  new_attributes_ = object;
}

void group_text::set(std::string_view path, std::string_view text) {
  if (!metadata_) return;
  std::string changed = entry_of(path, text);
  const auto match = std::ranges::find(entries_, path, &entry::path);
  if (match == entries_.end()) {
    entries_.push_back({std::string(path), std::move(changed)});
  } else if (match->text == changed) {
    return;
  } else {
    match->text = std::move(changed);
  }
  are_entries_changed_ = true;
}

void group_text::erase(std::string_view path) {
  are_entries_changed_ |=
      std::erase_if(entries_, [&](const entry& item) { return item.path == path; }) > 0;
}

void group_text::erase_folder(std::string_view path, bool keeps_node) {
  are_entries_changed_ |= std::erase_if(entries_, [&](const entry& item) {
                            return is_below(item.path, path) || (!keeps_node && item.path == path);
                          }) > 0;
}

std::string group_text::format_entries() const {
  std::string text;
  for (const entry& item : entries_) {
    text += text.empty() ? "{\n      " : ",\n      ";
    text += item.text;
  }
  return text.empty() ? "{}" : text + "\n    }";
}

std::string group_text::text() const {
  std::string result = text_;
  const auto replace = [&](std::string_view part, const std::string& text) {
    result.replace(static_cast<std::size_t>(part.data() - text_.data()), part.size(), text);
  };
  const auto replace_attributes = [&] {
    if (!has_new_attributes_) return;
    const bool is_there = !attributes_.empty();
    replace(attributes_,
            is_there ? new_attributes_ : fmt::format("\n  \"attributes\": {},", new_attributes_));
  };
  // The later part first, so that the position of the earlier one stays.
  const bool are_attributes_later = metadata_ && attributes_.data() > metadata_->data();
  if (are_attributes_later) replace_attributes();
  if (are_entries_changed_) replace(*metadata_, format_entries());
  if (!are_attributes_later) replace_attributes();
  return result;
}

}  // namespace tessera::detail::v3
