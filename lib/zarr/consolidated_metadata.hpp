// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file `.zmetadata`: the metadata of all nodes below a group, in one place.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Metadata files by their keys, relative to the group: "u/.zarray". The texts are JSON objects, of
/// which nothing else is known.
using metadata_files = std::map<std::string, std::string, std::less<>>;

/// Tells whether the last name of a key is that of a file that is consolidated.
[[nodiscard]] bool is_metadata_key(std::string_view key);

/// Returns the files that `text`, the contents of a `.zmetadata`, holds; `what` names it in errors.
///
/// Throws: zarr_error <- it is malformed, or a key is no key of a metadata file.
[[nodiscard]] metadata_files parse_consolidated(std::string_view text, std::string_view what);

/// Returns the contents of a `.zmetadata` that holds `files`.
///
/// Throws: zarr_error <- one of them is no JSON object.
[[nodiscard]] std::string format_consolidated(const metadata_files& files);

/// The contents of a `.zmetadata` of which a few files are changed: what others wrote stays as it
/// is, letter for letter, and is not looked into.
class consolidated_text {
 public:
  /// Throws: zarr_error <- `text` is malformed.
  consolidated_text(std::string text, std::string_view what);
  consolidated_text(const consolidated_text&) = delete;
  consolidated_text& operator=(const consolidated_text&) = delete;

  /// Makes `text` the file `key`. Throws: zarr_error <- it is no JSON object.
  void set(std::string_view key, std::string_view text);
  void erase(std::string_view key);
  /// Removes the files in the folder `node` and below it; with `keeps_own`, only those below it.
  void erase_folder(std::string_view node, bool keeps_own = false);

  /// Tells whether `text()` differs from what it was.
  [[nodiscard]] bool is_changed() const { return is_changed_; }
  [[nodiscard]] std::string text() const;

 private:
  struct entry {
    std::string key;
    std::string_view name_text;
    std::string_view value;
    /// What takes the place of `name_text` and `value` where it is not empty.
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
