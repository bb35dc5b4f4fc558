// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a task may know of its outputs besides.

#include <cstddef>

namespace tessera {

/// Which outputs of a task are in memory. Beside `task_blocks`: who runs tasks may know, and then
/// what is made over many steps is made where it is handed on, and not copied there.
class results_in_memory {
 public:
  results_in_memory() = default;
  results_in_memory(const results_in_memory&) = delete;
  results_in_memory& operator=(const results_in_memory&) = delete;
  virtual ~results_in_memory() = default;

  /// Tells whether output `i` is in memory: `task_blocks::result` leads there from when the task,
  /// the leg or the step begins, and what is put there stays.
  [[nodiscard]] virtual bool is_in_memory(std::size_t i) const = 0;
};

}  // namespace tessera
