// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The turn in which the claims of a key are judged one after the other, without locks.
///
/// The claims of the key "a/x" have a folder:
///
///     a/.tessera-claims-of-x.__lock/.<writer>       a claim: its text
///                                   turn/.<writer>  the turn: a folder with one file, of its
///                                   holder turn.<writer>/  a folder that waits to become the turn
///
/// A writer takes the turn by renaming its folder, which fails as long as a folder with a file has
/// the name (rename(2), ENOTEMPTY). The file of a holder that is gone is removed by its own name,
/// so that of two processes that remove it, neither removes the file of the next holder.

#include "store/claim_folders.hpp"
#include "store/unfinished_write.hpp"

#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// An owner on another machine that was silent for longer counts as gone.
inline constexpr std::chrono::seconds longest_silence{60};

/// Returns the folder of the claims of the key that has the path `path`.
[[nodiscard]] std::string folder_of_claims(std::string_view path);

/// Creates the file `path` and returns 0 or the error: EEXIST if it is there.
[[nodiscard]] int create_file(const std::string& path, std::string_view text);

/// The turn of the key that has the path `path`.
class claim_turn {
 public:
  explicit claim_turn(std::string_view path);
  claim_turn(const claim_turn&) = delete;
  claim_turn& operator=(const claim_turn&) = delete;
  ~claim_turn() { leave(); }

  /// Waits for the turn. Creates folders.
  ///
  /// Throws: store_error <- a file or a folder cannot be created or renamed.
  void take(std::string_view key);

  /// Returns the present time by the clock of the file system, to which all hosts compare times.
  [[nodiscard]] std::time_t present_time() const;

  /// Returns the texts of the claims in the folder whose owners are present, and removes the files
  /// of owners that are gone. The turn is taken.
  [[nodiscard]] std::vector<std::string> read_claims(std::string_view key) const;

  /// Ends the turn, if it is taken. Removes the created folders that are empty.
  void leave() noexcept;

  /// Returns the name that identifies this writer (`unfinished_suffix`).
  [[nodiscard]] std::string_view writer() const { return writer_.view(); }
  /// Returns the file of a claim of this writer.
  [[nodiscard]] std::string claim_file() const;

  /// Removes the created folders that are empty.
  void remove_folders() noexcept;

 private:
  [[nodiscard]] bool prepare(std::string_view key);

  unfinished_suffix writer_;
  std::string folder_;
  std::string turn_folder_;
  std::string turn_file_;
  std::string waiting_folder_;
  claim_folders folders_;
};

}  // namespace tessera::detail
