// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file of the claims of a key that are held by locks.
///
/// The file consists of slots. Slot 0 is a mutex: its lock orders all changes. Each other slot has
/// the text of one claim and the name of its writer (`unfinished_suffix`), each ended by a NUL:
///
///     | 0: mutex | 1: text, writer | 2: empty | 3: text, writer |
///
/// A host with locks sees whether a slot is locked. A host without locks judges a slot by its
/// writer, or by the time of the file, which the heartbeats of all owners renew. The files of a
/// machine that no other host sees need no heartbeat.

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

inline constexpr std::size_t slot_size = 4096;
/// The greatest length of the text of a claim. The rest of a slot is for the writer.
inline constexpr std::size_t longest_text = slot_size - 128;

/// The content of a slot; both texts are empty if the slot is free.
struct claim_slot {
  std::string text;
  std::string writer;

  friend bool operator==(const claim_slot&, const claim_slot&) = default;
};

/// Returns the file of the claims by locks of the key that has the path `path`.
[[nodiscard]] std::string slots_of_claims(std::string_view path);

/// Returns the number of slots of an open file, the mutex included.
///
/// Throws: store_error <- the file cannot be read.
[[nodiscard]] std::size_t count_slots(int file, std::string_view key, std::string_view path);

/// Throws: store_error <- the file cannot be read.
[[nodiscard]] claim_slot read_slot(int file, std::size_t slot, std::string_view key,
                                   std::string_view path);

/// Writes a slot, and returns 0 or the error.
///
/// Requires: the text has at most `longest_text` characters, and none is NUL.
[[nodiscard]] int write_slot(int file, std::size_t slot, const claim_slot& content);

/// Tells whether an open file is in a file system that no other host sees.
[[nodiscard]] bool is_of_this_machine(int file);

/// Returns the texts in the file `path` whose owners are present, for a host without locks, and
/// empties the slots of owners that are gone. `now` is the time of the file system.
///
/// Throws: store_error <- the file cannot be read.
[[nodiscard]] std::vector<std::string> claims_by_lock(const std::string& path, std::string_view key,
                                                      std::time_t now);

}  // namespace tessera::detail
