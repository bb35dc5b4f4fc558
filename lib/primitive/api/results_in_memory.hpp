// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Outputs in memory, as tasks see them.

#include <cstddef>

namespace tessera {

/// The outputs of a task that are in memory. A `task_blocks` may implement it as well: then outputs
/// of many steps are computed in their destinations, without a copy.
class results_in_memory {
 public:
  results_in_memory() = default;
  results_in_memory(const results_in_memory&) = delete;
  results_in_memory& operator=(const results_in_memory&) = delete;
  virtual ~results_in_memory() = default;

  /// Tells whether output `i` is in memory: `task_blocks::result` points to it from the start of
  /// the task, the sweep or the step, and elements stay in it.
  [[nodiscard]] virtual bool is_in_memory(std::size_t i) const = 0;
};

}  // namespace tessera
