// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Buffer schedules: every buffer that a task of an operation uses, and when it lives.

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// The array whose elements a buffer holds: an operand or an output of the operation, by position.
struct buffer_array {
  enum class role { none, operand, output };
  role as = role::none;
  std::size_t position = 0;

  [[nodiscard]] static buffer_array operand(std::size_t position) {
    return {role::operand, position};
  }
  [[nodiscard]] static buffer_array output(std::size_t position) {
    return {role::output, position};
  }
};

/// A buffer of a task, which lives in the steps [first_step, last_step].
struct scheduled_buffer {
  /// The use of the buffer: "chunk", "encoded chunk", "codec", "state of mean".
  std::string use;
  std::size_t size = 0;
  std::size_t first_step = 0;
  std::size_t last_step = 0;
  buffer_array array = {};
  /// Allocated by a library inside the step, not from the task's arena; it counts all the same.
  bool is_external = false;
  /// The position in the task's arena.
  std::size_t offset = 0;
};

/// Every buffer that a task of an operation uses, and when it lives.
///
/// The schedule is made once for an operation; every task then runs in one piece of memory of
/// `arena_bytes()`, in which each buffer has its place. Buffers that never live at the same step
/// may share a place. A task can have no buffer outside of the schedule: so the bound is exact.
class buffer_schedule {
 public:
  /// Adds a buffer and returns its number.
  std::size_t add(std::string use, std::size_t size, std::size_t first_step, std::size_t last_step,
                  buffer_array array = {});

  /// Adds memory that a library allocates by itself in step `step`.
  void add_external(std::string use, std::size_t size, std::size_t step, buffer_array array = {});

  /// Adds memory that a library allocates by itself and keeps: it lives in all steps, and on.
  void add_kept(std::string use, std::size_t size);

  /// Gives each buffer its place; called once, after the last `add`.
  ///
  /// First fit in order of size: buffers that live at once get places that do not overlap.
  void lay_out();

  [[nodiscard]] const std::vector<scheduled_buffer>& buffers() const { return buffers_; }
  /// Returns the bytes of memory that holds all places.
  [[nodiscard]] std::size_t arena_bytes() const { return arena_bytes_; }
  /// Returns the most that libraries allocate at one step, without the memory that they keep.
  [[nodiscard]] std::size_t external_bytes() const { return external_bytes_; }
  /// Returns the memory that libraries allocate and keep.
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
