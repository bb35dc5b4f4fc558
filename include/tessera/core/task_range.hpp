// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tasks by number.

#include "tessera/core/index.hpp"

namespace tessera {

/// Neighbouring tasks of an operation: [first, last).
struct task_range {
  index_t first = 0;
  index_t last = 0;

  [[nodiscard]] bool operator==(const task_range&) const = default;
};

}  // namespace tessera
