// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The claims of a key of a store in a directory without locks, as files.
///
/// Problem: no lock ends with its process, so that a file alone does not tell whether its claim
/// lasts. And claims must be judged one after the other.
///
/// Idea: names identify the writer (`unfinished_suffix`), a heartbeat renews the times of files,
/// and claims are judged in a turn (store/claim_turn.hpp). Other hosts may have locks on the same
/// files: their claims are read as well (store/claim_slots.hpp).
///
/// Invariant: a claim lasts as long as its file. An owner on this machine is gone if its process
/// has ended; another one if its file was not renewed for `longest_silence`, by the clock of the
/// file system. An owner that was silent for longer, and is not gone, finds its file removed
/// (`is_held`).

#include "tessera/store/key_value_store.hpp"

#include "store/claim_turn.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A claim in a file of its own.
class beating_claim final : public store_claim {
 public:
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
  void write_text(std::string_view key, std::string_view text);

  claim_turn turn_;
  std::string file_;
};

}  // namespace tessera::detail
