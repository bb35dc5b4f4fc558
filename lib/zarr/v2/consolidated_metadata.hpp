// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file `.zmetadata`: the metadata of all nodes below a group, in one place.

#include "zarr/api/node_format.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Tells whether the last name of a key is `.zarray`, `.zattrs` or `.zgroup`.
[[nodiscard]] bool is_metadata_key(std::string_view key);

/// Returns the files of `text`, the contents of a `.zmetadata`; messages call it `document`.
///
/// Throws: zarr_error <- it is malformed, or a key is no key of a metadata file.
[[nodiscard]] metadata_files parse_consolidated(std::string_view text, std::string_view document);

/// Returns the contents of a `.zmetadata` that holds `files`.
///
/// Throws: zarr_error <- one of them is no JSON object.
[[nodiscard]] std::string format_consolidated(const metadata_files& files);

/// The contents of a `.zmetadata`, of which a few entries are changed. All other bytes stay as
/// their writer left them.
class consolidated_text final : public consolidated_editor {
 public:
  /// Throws: zarr_error <- `text` is malformed.
  consolidated_text(std::string text, std::string_view document);

  void set(std::string_view key, std::string_view text) override;
  void erase(std::string_view key) override;
  void erase_folder(std::string_view node, bool keeps_node = false) override;

  [[nodiscard]] bool is_changed() const override { return is_changed_; }
  [[nodiscard]] std::string text() const override;

 private:
  struct entry {
    std::string key;
    std::string_view name_text;
    std::string_view value;
    /// Replaces `name_text` and `value` unless it is empty.
    std::string changed = {};
  };

  std::string text_;
  /// The parts of `text_` before and behind the value of "metadata".
  std::string_view before_;
  std::string_view behind_;
  std::vector<entry> entries_;
  bool is_changed_ = false;
};

}  // namespace tessera::detail
