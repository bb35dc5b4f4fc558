// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of those arrays that a plan keeps in memory.

#include "tessera/core/shared_pages.hpp"
#include "tessera/plan/planned.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The memory of those arrays that a plan keeps in memory: this process's, or shared with the
/// processes that run its tasks. Where each lies in what is shared follows from the plan.
///
/// Threads: one that shares or reaches; from then on all other members may be called from several.
class array_memory {
 public:
  explicit array_memory(const bounded_plan::implementation& plan);

  /// Makes arrays in shared memory from now on. Returns by what name the other processes reach it;
  /// empty where the plan keeps no array in memory.
  ///
  /// Throws: memory_error <- the system has none.
  [[nodiscard]] std::string share();

  /// Finds arrays in the memory that another process shares by this name.
  ///
  /// Throws: memory_error <- it cannot be reached.
  void reach(const std::string& name);

  /// Makes an array of zeros, which lasts as long as somebody has what this returns.
  ///
  /// Throws: memory_error, std::bad_alloc <- there is not enough memory.
  [[nodiscard]] std::shared_ptr<std::byte[]> make(std::size_t array) const;

  /// Returns an array that the process has made whose memory is reached.
  [[nodiscard]] std::shared_ptr<std::byte[]> find(std::size_t array) const;

  /// Returns an array that was made here and is complete, for users: what they write to it, no
  /// other process sees, be it a child of this one, unless the system refuses to map it so.
  [[nodiscard]] std::shared_ptr<std::byte[]> hand_out(
      std::size_t array, const std::shared_ptr<std::byte[]>& made) const;

 private:
  const bounded_plan::implementation& plan_;
  /// Where in shared memory each array begins, and what they take together.
  std::vector<std::uint64_t> offsets_;
  std::uint64_t size_ = 0;
  std::optional<shared_pages> shared_;
};

}  // namespace tessera
