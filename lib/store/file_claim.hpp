// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The claims of a key of a store in a directory, as one file.
///
/// The file consists of slots of `slot_size` bytes. Slot 0 is a mutex: its lock orders all changes.
/// Each other slot holds the text of one claim, and is locked as long as the claim lasts:
///
///     | 0: mutex | 1: text of a claim | 2: unlocked: free | 3: text of a claim |
///
/// Invariant: a slot is a claim if and only if it is locked. The locks belong to open file
/// descriptions (fcntl(2), F_OFD_SETLK), which end with their process, on any host. A process that
/// dies leaves a text in an unlocked slot, which is never read. A process writes only the slot of
/// its claim, so that no death spoils another slot.

#include "tessera/store/key_value_store.hpp"

#include "store/api/posix_file.hpp"
#include "store/claim_folders.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A claim in the file of a key's claims. The last claim removes the file.
class file_claim final : public store_claim {
 public:
  /// Claims `key`, whose claims the file `path` holds, as `key_value_store::claim` does. Creates
  /// the folders of the file; its end removes the created folders that are empty. Does not call
  /// `admit` if the file system has no locks: `is_supported()` tells.
  ///
  /// Throws: store_error <- the file cannot be created, read or written.
  file_claim(std::string path, std::string_view key, std::string_view text,
             const claim_judge& admit);
  file_claim(const file_claim&) = delete;
  file_claim& operator=(const file_claim&) = delete;
  ~file_claim() override;

  [[nodiscard]] bool is_supported() const { return file_.has_value(); }
  [[nodiscard]] bool is_held() const override;

 private:
  void open_in_turn(std::string_view key);
  [[nodiscard]] std::vector<std::string> read_others(std::string_view key);
  void write_text(std::string_view key, std::string_view text);
  void leave() noexcept;

  std::string path_;
  claim_folders folders_;
  /// Not set if the file system has no locks.
  std::optional<file_descriptor> file_;
  /// The slot of this claim; 0 before it has a slot.
  std::size_t slot_ = 0;
};

}  // namespace tessera::detail
