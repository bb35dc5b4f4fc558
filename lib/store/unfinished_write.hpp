// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of unfinished writes: who writes, and whether that writer is still alive.

#include <cstddef>
#include <ctime>
#include <string_view>

namespace tessera::detail {

/// The ends of names that are kept for unfinished writes: ours and zarr-python's, TensorStore's.
inline constexpr std::string_view partial_suffix = ".partial";
inline constexpr std::string_view lock_suffix = ".__lock";

/// Tells whether the last name of `key` is kept for unfinished writes.
[[nodiscard]] inline bool names_unfinished_write(std::string_view key) {
  return key.ends_with(partial_suffix) || key.ends_with(lock_suffix);
}

/// What is added to the name of a value while it is written; no other write of any process has it:
/// `.<machine>-<process>-<start>-<salt>-<count>.partial`, numbers in base 16.
///
/// `machine` stands for a boot of a kernel and a namespace of process numbers in it: where it is
/// the same, process number and start time tell whether the writer is alive.
class unfinished_suffix {
 public:
  unfinished_suffix();
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  char text_[112];
};

/// The age at which what an unknown writer left is taken as dead, in seconds.
inline constexpr std::time_t oldest_unknown_write = 24 * 60 * 60;

/// Tells whether the unfinished write in the file `name` of `directory` has no writer any more.
[[nodiscard]] bool is_abandoned(std::string_view directory, std::string_view name);

}  // namespace tessera::detail
