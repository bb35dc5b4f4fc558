// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The members that the documents of arrays and groups share, and the documents of groups.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail::v3 {

/// The name of the document of a node.
inline constexpr std::string_view document_name = "zarr.json";

/// The longest document, in bytes.
inline constexpr std::size_t max_document_size = std::size_t{32} << 20;

/// A member of a document as text.
struct raw_member {
  std::string name;
  std::string text;

  [[nodiscard]] bool operator==(const raw_member&) const = default;
};

/// The members of a document that is not parsed further: views of its text.
class document_members {
 public:
  /// Throws: zarr_error <- the text exceeds 32 MiB, is no JSON object, or a name occurs twice; or
  /// "zarr_format" is not 3, or "node_type" is no text.
  explicit document_members(std::string_view text);

  /// Returns "array", "group", or another text.
  [[nodiscard]] const std::string& node_type() const { return node_type_; }

  /// Returns the text of a member, or nullopt if it is absent.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;

  /// Returns the text of "attributes", "{}" if it is absent.
  ///
  /// Throws: zarr_error <- it is no object.
  [[nodiscard]] std::string_view attributes() const;

  /// Returns the members that are not in `known`.
  ///
  /// Throws: zarr_error <- one of them is no object with `"must_understand": false`.
  [[nodiscard]] std::vector<raw_member> others(std::span<const std::string_view> known) const;

 private:
  struct member {
    std::string name;
    std::string_view text;
  };

  std::vector<member> members_;
  std::string node_type_;
};

/// Tells whether a document states the version and type of a group, in one pass without values.
///
/// Throws: zarr_error <- the text exceeds 32 MiB, or is no JSON object.
[[nodiscard]] bool states_group(std::string_view text);

/// Returns the object "metadata" of the inline consolidated metadata of a group, a view of its
/// text; nullopt if it has none.
///
/// Throws: zarr_error <- `members` are not of a document of a group.
[[nodiscard]] std::optional<std::string_view> find_consolidated(const document_members& members);

/// Appends members to the text of a document.
void append_members(std::string& text, const std::vector<raw_member>& members);

/// The document of a group.
struct group_document {
  /// A JSON object, as it is written.
  std::string attributes = "{}";
  /// The text of "consolidated_metadata" if it is inline; else empty.
  std::string consolidated = {};
  std::vector<raw_member> other_members = {};

  /// Throws: zarr_error <- `text` is no document of a group.
  [[nodiscard]] static group_document parse(std::string_view text);
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] bool operator==(const group_document&) const = default;
};

}  // namespace tessera::detail::v3
