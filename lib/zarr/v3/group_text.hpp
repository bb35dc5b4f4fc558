// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file `zarr.json` of a group as text, with the documents of all nodes below it:
///
///     {..., "consolidated_metadata": {"kind": "inline", "must_understand": false,
///                                     "metadata": {"a": {...}, "a/b": {...}}}}

#include "zarr/v3/node_document.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail::v3 {

/// Documents of nodes by their paths, relative to the group: "a/b". Each text is a JSON object.
using node_documents = std::map<std::string, std::string, std::less<>>;

/// Throws zarr_error unless `path` is the path of a node: names between single slashes, none of
/// them empty, of dots alone, "zarr.json", or with "__" at its front.
void require_node_path(std::string_view path);

/// Returns the documents in the inline consolidated metadata of `group`, the document of a group;
/// nullopt if it has none.
///
/// Throws: zarr_error <- `group` is no document of a group, or a path or document in it is
/// malformed.
[[nodiscard]] std::optional<node_documents> parse_consolidated(const document_members& group);
[[nodiscard]] inline std::optional<node_documents> parse_consolidated(std::string_view group) {
  return parse_consolidated(document_members(group));
}

/// Returns the text of a group with the consolidated metadata `nodes` in the place of its own.
/// Groups among the nodes lose theirs, which may be stale.
///
/// Throws: zarr_error <- a text is no JSON object.
[[nodiscard]] std::string with_consolidated(std::string_view group, const node_documents& nodes);

/// Returns the text of a group without consolidated metadata. All other members stay as they are.
[[nodiscard]] std::string without_consolidated(std::string_view group);

/// The text of a group, of which a few entries are changed. All other bytes stay as their writer
/// left them.
class group_text {
 public:
  /// Throws: zarr_error <- `text` is no document of a group, or its metadata is malformed.
  explicit group_text(std::string text);
  group_text(const group_text&) = delete;
  group_text& operator=(const group_text&) = delete;

  [[nodiscard]] bool has_consolidated() const { return metadata_.has_value(); }

  /// Sets "attributes" of the group itself. Throws: zarr_error <- `text` is no JSON object.
  void set_attributes(std::string_view text);

  /// Sets the document of the node at `path`, if there is consolidated metadata.
  ///
  /// Throws: zarr_error <- `text` is no JSON object.
  void set(std::string_view path, std::string_view text);
  void erase(std::string_view path);
  /// Removes the nodes below `path`, and `path` itself unless `keeps_node`.
  void erase_folder(std::string_view path, bool keeps_node = false);

  /// Tells whether `text()` differs from the original text.
  [[nodiscard]] bool is_changed() const { return are_entries_changed_ || has_new_attributes_; }
  [[nodiscard]] std::string text() const;

 private:
  struct entry {
    std::string path;
    /// Name, colon and document.
    std::string text;
  };

  /// Returns the metadata object with its entries.
  [[nodiscard]] std::string format_entries() const;

  std::string text_;
  /// The attributes in `text_`, if they are there, or behind its first brace.
  std::string_view attributes_;
  std::optional<std::string_view> metadata_;
  std::vector<entry> entries_;
  std::string new_attributes_;
  bool has_new_attributes_ = false;
  bool are_entries_changed_ = false;
};

}  // namespace tessera::detail::v3
