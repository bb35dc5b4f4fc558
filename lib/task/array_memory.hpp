// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of arrays that a plan keeps in memory.

#include "core/api/shared_pages.hpp"
#include "plan/api/planned.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The memory of arrays that a plan keeps in memory: private, or shared with the processes that run
/// its tasks. The plan determines the offset of each array in the shared memory.
///
/// Threads: `share` and `reach` from one thread, first; then all other members from any thread.
class array_memory {
 public:
  explicit array_memory(const bounded_plan::implementation& plan);

  /// Puts arrays into shared memory from now on. Returns the name of this memory for other
  /// processes, or "" if the plan keeps no array in memory.
  ///
  /// Throws: memory_error <- the system has none.
  [[nodiscard]] std::string share();

  /// Maps the memory that another process shares under `name`.
  ///
  /// Throws: memory_error <- it cannot be reached.
  void reach(const std::string& name);

  /// Returns the elements of array number `array`, zeros, which live as long as the pointer.
  ///
  /// Throws: memory_error, std::bad_alloc <- there is not enough memory.
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(std::size_t array) const;

  /// Returns the elements of array number `array` in the memory of another process.
  [[nodiscard]] std::shared_ptr<std::byte[]> find(std::size_t array) const;

  /// Returns `elements`, complete in this process, for users. Their writes stay in this process,
  /// unless the system refuses a private mapping.
  [[nodiscard]] std::shared_ptr<std::byte[]> hand_out(
      std::size_t array, const std::shared_ptr<std::byte[]>& elements) const;

 private:
  const bounded_plan::implementation& plan_;
  /// The offset of each array in shared memory, and the size of all, in bytes.
  std::vector<std::uint64_t> offsets_;
  std::uint64_t size_ = 0;
  std::optional<shared_pages> shared_;
};

}  // namespace tessera
