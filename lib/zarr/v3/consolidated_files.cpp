// SPDX-License-Identifier: Apache-2.0
/// \file
/// The inline consolidated metadata of a group as files of the nodes.

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/v3/error_name.hpp"
#include "zarr/v3/format.hpp"
#include "zarr/v3/group_text.hpp"
#include "zarr/v3/node_document.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::detail::v3 {

namespace {

/// Returns the text of a node without the consolidated metadata of a group.
std::string entry_of_node(std::string_view text) {
  return states_group(text) ? without_consolidated(text) : std::string(text);
}

class group_editor final : public consolidated_editor {
 public:
  explicit group_editor(std::string text) : text_(std::move(text)) {}

  // The group itself is its own document.
  void set(std::string_view key, std::string_view text) override {
    const std::string_view node = folder_above(key);
    if (!node.empty()) text_.set(node, entry_of_node(text));
  }
  void erase(std::string_view key) override { text_.erase(folder_above(key)); }
  void erase_folder(std::string_view node, bool keeps_node) override {
    text_.erase_folder(node, keeps_node);
  }
  [[nodiscard]] bool is_changed() const override { return text_.is_changed(); }
  [[nodiscard]] std::string text() const override { return text_.text(); }

  [[nodiscard]] bool has_consolidated() const { return text_.has_consolidated(); }

 private:
  group_text text_;
};

bool say_the_same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  try {
    return parse_json(a, "") == parse_json(b, "");
  } catch (const error&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<consolidated_editor> edit_consolidated(std::string text, std::string_view) {
  auto editor = std::make_unique<group_editor>(std::move(text));
  if (!editor->has_consolidated()) return nullptr;
  return editor;
}

std::optional<metadata_files> parse_files(std::string_view text, std::string_view document) {
  return with_name(document, [&]() -> std::optional<metadata_files> {
    const document_members members(text);
    if (members.node_type() != "group") return std::nullopt;
    std::optional<node_documents> nodes = parse_consolidated(members);
    if (!nodes) return std::nullopt;
    metadata_files files;
    // zarr-python writes inner consolidated metadata without the nodes below (its issue 2921).
    while (!nodes->empty()) {
      auto entry = nodes->extract(nodes->begin());
      std::string& node = entry.mapped();
      const bool is_consolidated = may_hold(node, "consolidated_metadata");
      files.emplace(node_key(entry.key(), document_name),
                    is_consolidated ? entry_of_node(node) : std::move(node));
    }
    // The text of the nodes is in memory once.
    files.emplace(document_name, with_consolidated(text, {}));
    return files;
  });
}

std::string format_files(const metadata_files& files) {
  node_documents nodes;
  for (const auto& [key, text] : files) {
    const std::string_view node = folder_above(key);
    if (!node.empty()) nodes.emplace(node, text);
  }
  return with_consolidated(files.find(document_name)->second, nodes);
}

std::vector<std::string> differences_of_consolidated(const key_value_store& store,
                                                     const std::string& group,
                                                     const std::vector<std::string>& paths) {
  const std::string key = node_key(group, document_name);
  std::vector<std::string> differences;
  auto files = parse_files(read_text(store, key).value_or(""), key);
  if (!files) return differences;
  files->erase(std::string(document_name));
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    const std::string inner = node_key(path, document_name);
    const auto text = read_text(store, node_key(group, inner));
    const auto entry = files->find(inner);
    if (!text) continue;
    if (entry == files->end()) {
      differences.push_back(fmt::format("{} is not in it", inner));
      continue;
    }
    if (!say_the_same(entry_of_node(*text), entry_of_node(entry->second))) {
      differences.push_back(fmt::format("{} is another one there", inner));
    }
    files->erase(entry);
  }
  for (const auto& [name, text] : *files) {
    differences.push_back(fmt::format("{} is in it and does not exist", name));
  }
  return differences;
}

}  // namespace tessera::detail::v3
