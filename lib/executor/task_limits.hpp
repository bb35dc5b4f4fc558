// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of the tasks that a worker process runs: limited and measured, one at a time.

#include "tessera/core/bytes.hpp"

#include "executor/descriptor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tessera {

/// Limits and measures what a process uses.
///
/// Threads: none besides the one that runs tasks; both are about the whole process.
class task_limits {
 public:
  task_limits();

  /// Lets the tasks of `operation` use `memory` besides what the process holds when the first of
  /// them begins: from there on the system refuses more (RLIMIT_DATA), which is `std::bad_alloc`.
  /// Called again now and then, lest the holes that earlier ones have left in the heap count.
  void apply(std::uint64_t operation, bytes memory);

  /// Takes the limit away.
  void lift();

  /// Begins to measure, and returns the most that was held since then, less what is shared with
  /// other processes (core/shared_pages.hpp): the host holds that once, and no task of its own.
  ///
  /// The system tells how much is shared when it is asked, not how much was at the time of the
  /// peak: where that was less than at the beginning or at the end, the difference is missing.
  void reset_peak();
  [[nodiscard]] bytes peak() const;

 private:
  void set_limit(std::uint64_t limit) const;

  /// Room for the text of /proc/self/status, of which a line names all groups of the user. It takes
  /// no more memory than there is text.
  using status_text = std::array<char, std::size_t{1} << 20U>;

  [[nodiscard]] bytes shared_now() const;

  descriptor clear_refs_;
  descriptor status_;
  std::unique_ptr<status_text> text_;
  bytes shared_at_first_;
  std::uint64_t limit_at_first_;
  std::optional<std::uint64_t> operation_;
  std::uint64_t limit_ = 0;
  std::uint64_t heap_in_limit_ = 0;
};

}  // namespace tessera
