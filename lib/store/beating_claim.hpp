// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The claims of a key of a store in a directory without locks, as files.
///
/// Problem: no lock ends with its process, so that a file alone does not tell whether its claim
/// lasts. And claims must be judged one after the other.
///
/// Idea: names identify the writer (`unfinished_suffix`), and a heartbeat renews the times of
/// files. The claims of the key "a/x" have a folder:
///
///     a/.tessera-claims-of-x.__lock/.<writer>       a claim: its text
///                                   turn/.<writer>  the turn: a folder with one file, of its
///                                   holder turn.<writer>/  a folder that waits to become the turn
///
/// A writer takes the turn by renaming its folder, which fails as long as a folder with a file has
/// the name (rename(2), ENOTEMPTY). The file of a holder that is gone is removed by its own name,
/// so that of two processes that remove it, neither removes the file of the next holder.
///
/// Invariant: a claim lasts as long as its file. An owner on this machine is gone if its process
/// has ended; another one if its file was not renewed for `longest_silence`, by the clock of the
/// file system. An owner that was silent for longer, and is not gone, finds its file removed
/// (`is_held`).

#include "tessera/store/key_value_store.hpp"

#include "store/claim_folders.hpp"
#include "store/unfinished_write.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A claim in a file of its own.
class beating_claim final : public store_claim {
 public:
  static constexpr std::chrono::seconds longest_silence{60};

  /// Claims `key`, which has the path `path`, as `key_value_store::claim` does. Waits for the turn.
  /// Creates folders; its end removes the created folders that are empty.
  ///
  /// Throws: store_error <- a file or a folder cannot be created, read or renamed.
  beating_claim(std::string_view path, std::string_view key, std::string_view text,
                const claim_judge& admit);
  beating_claim(const beating_claim&) = delete;
  beating_claim& operator=(const beating_claim&) = delete;
  ~beating_claim() override;

  [[nodiscard]] bool is_held() const override;

 private:
  void take_turn(std::string_view key);
  [[nodiscard]] bool prepare_turn(std::string_view key);
  [[nodiscard]] std::vector<std::string> read_others(std::string_view key) const;
  void write_text(std::string_view key, std::string_view text);
  void leave_turn() noexcept;
  void remove_folders() noexcept;

  unfinished_suffix writer_;
  std::string folder_;
  std::string file_;
  std::string turn_folder_;
  std::string turn_file_;
  std::string waiting_folder_;
  claim_folders folders_;
};

}  // namespace tessera::detail
