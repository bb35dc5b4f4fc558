// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The claims of a key of a store in a directory, as one file of slots (store/claim_slots.hpp).
///
/// Invariant: a slot with a text is a claim as long as it is locked. The locks belong to open file
/// descriptions (fcntl(2), F_OFD_SETLK), which end with their process, on any host. A process that
/// dies leaves a text in an unlocked slot, which the next claim empties. A process writes only the
/// slot of its claim, so that no death spoils another slot.
///
/// Other hosts may have no locks on the same files: their claims are files in a folder, judged in a
/// turn (store/claim_turn.hpp). A claim here writes its text, and looks for that folder then. A
/// claim there creates the folder, and reads the slots then. So at least one of two claims that
/// begin at the same time sees the other. If the folder is there, a claim by lock takes back its
/// text and waits for the turn as well.

#include "tessera/store/key_value_store.hpp"

#include "store/api/posix_file.hpp"
#include "store/claim_folders.hpp"
#include "store/claim_slots.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A claim in the file of a key's claims. The last claim removes the file.
class file_claim final : public store_claim {
 public:
  /// Claims `key`, which has the path `path`, as `key_value_store::claim` does. Creates the folders
  /// of the file; its end removes the created folders that are empty. Does not call `admit` if the
  /// file system has no locks: `is_supported()` tells.
  ///
  /// Throws: store_error <- the file cannot be created, read or written.
  file_claim(std::string_view path, std::string_view key, std::string_view text,
             const claim_judge& admit);
  file_claim(const file_claim&) = delete;
  file_claim& operator=(const file_claim&) = delete;
  ~file_claim() override;

  [[nodiscard]] bool is_supported() const { return file_.has_value(); }
  [[nodiscard]] bool is_held() const override;

 private:
  void open_in_turn(std::string_view key);
  void claim_in_turn(std::string_view path, std::string_view key, const claim_judge& admit);
  [[nodiscard]] std::vector<std::string> read_others(std::string_view key);
  void write_text(std::string_view key, const claim_slot& content);
  void beat();
  void unlock_mutex(std::string_view key);
  void leave() noexcept;

  std::string path_;
  std::string key_;
  claim_folders folders_;
  /// Not set if the file system has no locks.
  std::optional<file_descriptor> file_;
  /// The slot of this claim; 0 before it has a slot.
  std::size_t slot_ = 0;
  claim_slot content_;
  bool is_beating_ = false;
};

}  // namespace tessera::detail
