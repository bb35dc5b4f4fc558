// SPDX-License-Identifier: Apache-2.0
#include "zarr/v2/consolidated_metadata.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/key_value_store.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/v2/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

/// Returns the members of "metadata" of a `.zmetadata`, and the text of that object in `metadata`.
std::vector<json_member> members_in(std::string_view text, std::string_view document,
                                    std::string_view& metadata) {
  metadata = {};
  std::string_view format;
  for (const json_member& member : members_of(text, document)) {
    if (member.name == "metadata") metadata = member.value_text;
    if (member.name == "zarr_consolidated_format") format = member.value_text;
  }
  if (format != "1" || metadata.data() == nullptr) {
    throw zarr_error(fmt::format(
        "{}: must be a JSON object with \"metadata\", whose \"zarr_consolidated_format\" is 1, "
        "found {}",
        document, excerpt(text)));
  }
  return members_of(metadata, fmt::format("{}: \"metadata\"", document));
}

void validate(const json_member& member, std::string_view document) {
  try {
    validate_key(member.name);
  } catch (const store_error& failure) {
    throw zarr_error(fmt::format("{}: \"metadata\": {}", document, failure.what()));
  }
  if (!is_metadata_key(member.name) || member.value_text.front() == '{') return;
  throw zarr_error(fmt::format("{}: \"metadata.{}\" must be a JSON object, found {}", document,
                               shortened(member.name), excerpt(member.value_text)));
}

/// Returns the entry of a file in a `.zmetadata`: key and text.
std::string entry_of(std::string_view key, std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (text.substr(begin, 1) != "{") {
    throw zarr_error(
        fmt::format("{}: must be a JSON object, found {}", shortened(key), excerpt(text)));
  }
  require_json(text, key);
  return fmt::format("{}: {}", quoted(key), text);
}

bool is_in(std::string_view key, std::string_view folder) {
  return folder.empty() ||
         (key.size() > folder.size() && key.starts_with(folder) && key[folder.size()] == '/');
}

/// Tells whether `key` is the key of a file directly in `folder`.
bool is_directly_in(std::string_view key, std::string_view folder) {
  return key.find('/', folder.empty() ? 0 : folder.size() + 1) == std::string_view::npos;
}

constexpr std::string_view separator = ",\n        ";

}  // namespace

bool is_metadata_key(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return std::ranges::find(v2::format().keys, name) != v2::format().keys.end();
}

metadata_files parse_consolidated(std::string_view text, std::string_view document) {
  std::string_view metadata;
  metadata_files files;
  for (const json_member& member : members_in(text, document, metadata)) {
    validate(member, document);
    if (!is_metadata_key(member.name)) continue;
    if (files.emplace(member.name, member.value_text).second) continue;
    throw zarr_error(fmt::format("{}: \"metadata.{}\" must occur once, found twice", document,
                                 shortened(member.name)));
  }
  return files;
}

std::string format_consolidated(const metadata_files& files) {
  std::string text;
  for (const auto& [key, value] : files) {
    text += text.empty() ? separator.substr(1) : separator;
    text += entry_of(key, value);
  }
  return fmt::format("{{\n    \"metadata\": {{{}\n    }},\n    \"zarr_consolidated_format\": 1\n}}",
                     text);
}

consolidated_text::consolidated_text(std::string text, std::string_view document)
    : text_(std::move(text)) {
  std::string_view metadata;
  const std::vector<json_member> members = members_in(text_, document, metadata);
  const auto begin = static_cast<std::size_t>(metadata.data() - text_.data());
  before_ = std::string_view(text_).substr(0, begin);
  behind_ = std::string_view(text_).substr(begin + metadata.size());
  entries_.reserve(members.size() + 8);
  for (const json_member& member : members) {
    validate(member, document);
    entries_.push_back({member.name, member.name_text, member.value_text});
  }
}

void consolidated_text::set(std::string_view key, std::string_view text) {
  std::string changed = entry_of(key, text);
  const auto match = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const entry& item) { return item.key == key; });
  if (match == entries_.end()) {
    entries_.push_back({std::string(key), {}, {}, std::move(changed)});
  } else if (fmt::format("{}: {}", match->name_text, match->value) == changed) {
    return;
  } else {
    match->changed = std::move(changed);
  }
  is_changed_ = true;
}

void consolidated_text::erase(std::string_view key) {
  is_changed_ |= std::erase_if(entries_, [&](const entry& item) { return item.key == key; }) > 0;
}

void consolidated_text::erase_folder(std::string_view node, bool keeps_node) {
  is_changed_ |= std::erase_if(entries_, [&](const entry& item) {
                   return is_in(item.key, node) && !(keeps_node && is_directly_in(item.key, node));
                 }) > 0;
}

std::string consolidated_text::text() const {
  if (!is_changed_) return text_;
  std::string result;
  result.reserve(text_.size() + text_.size() / 8);
  result += before_;
  for (const entry& item : entries_) {
    result += result.size() == before_.size() ? "{\n        " : separator;
    if (item.changed.empty()) {
      result += item.name_text;
      result += ": ";
      result += item.value;
    } else {
      result += item.changed;
    }
  }
  result += entries_.empty() ? "{}" : "\n    }";
  result += behind_;
  return result;
}

}  // namespace tessera::detail
