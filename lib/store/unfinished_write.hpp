// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of unfinished writes, which identify the writer and tell whether it is alive.

#include <cstddef>
#include <ctime>
#include <optional>
#include <string_view>

namespace tessera::detail {

/// The suffixes of names of unfinished writes: of this library and zarr-python, of TensorStore.
inline constexpr std::string_view partial_suffix = ".partial";
inline constexpr std::string_view lock_suffix = ".__lock";

/// The beginning of the names of the folders of claims without locks, which end in `lock_suffix`.
inline constexpr std::string_view claims_prefix = ".tessera-claims-of-";

/// Tells whether the last name of `key` is reserved for unfinished writes.
[[nodiscard]] inline bool names_unfinished_write(std::string_view key) {
  return key.ends_with(partial_suffix) || key.ends_with(lock_suffix);
}

/// The suffix of a value's name while it is written, unique among all writes of all processes:
/// `.<machine>-<process>-<start>-<salt>-<count>.partial`, numbers in base 16.
///
/// `machine` stands for a boot of a kernel and a namespace of process numbers. On the same machine,
/// process number and start time tell whether the writer is alive.
class unfinished_suffix {
 public:
  unfinished_suffix();
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  std::size_t size_ = 0;
  char text_[112];
};

/// The age, in seconds, from which an unfinished write of an unknown writer counts as abandoned.
inline constexpr std::time_t oldest_unknown_write = 24 * 60 * 60;

/// Tells whether the writer that `name`, which ends with an `unfinished_suffix`, identifies has
/// ended; nullopt if it is, or was, on another machine.
[[nodiscard]] std::optional<bool> has_writer_ended(std::string_view name);

/// Tells whether the writer of the unfinished write in the file `name` of `directory` has died.
[[nodiscard]] bool is_abandoned(std::string_view directory, std::string_view name);

}  // namespace tessera::detail
