// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Buffer schedules: every buffer that a task of an operation uses, and when it lives.

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// A buffer of a task, which lives in the steps [first_step, last_step].
struct scheduled_buffer {
  std::string name;
  std::size_t size = 0;
  std::size_t first_step = 0;
  std::size_t last_step = 0;
  /// Allocated by a library inside the step, not from the task's memory; it counts all the same.
  bool is_external = false;
  /// Where it lies in the task's memory.
  std::size_t offset = 0;
};

/// Every buffer that a task of an operation uses, and when it lives.
///
/// The schedule is made once for an operation; every task then runs in one piece of memory of
/// `arena_bytes()`, in which each buffer has its place. Buffers that never live at the same step
/// may share a place. What is not in the schedule, a task cannot have: so the bound is exact.
class buffer_schedule {
 public:
  /// Adds a buffer and returns its number.
  std::size_t add(std::string name, std::size_t size, std::size_t first_step,
                  std::size_t last_step);

  /// Adds memory that a library allocates by itself in step `step`.
  void add_external(std::string name, std::size_t size, std::size_t step);

  /// Adds memory that a library allocates by itself and keeps: it lives in all steps, and on.
  void add_kept(std::string name, std::size_t size);

  /// Gives each buffer its place; called once, after the last `add`.
  ///
  /// First fit in order of size: buffers that live at once get places that do not overlap.
  void lay_out();

  [[nodiscard]] const std::vector<scheduled_buffer>& buffers() const { return buffers_; }
  /// Returns the bytes of memory that holds all places.
  [[nodiscard]] std::size_t arena_bytes() const { return arena_bytes_; }
  /// Returns the most that libraries allocate at one step, without what they keep.
  [[nodiscard]] std::size_t external_bytes() const { return external_bytes_; }
  /// Returns what libraries allocate and keep.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }
  /// Returns all that a task uses.
  [[nodiscard]] std::size_t peak_bytes() const {
    return arena_bytes_ + external_bytes_ + kept_bytes_;
  }

 private:
  std::vector<scheduled_buffer> buffers_;
  std::size_t arena_bytes_ = 0;
  std::size_t external_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
};

}  // namespace tessera
