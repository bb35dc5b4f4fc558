// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The news that a run continues an earlier one.

#include "tessera/core/index.hpp"

namespace tessera {

/// An observer that is told once, before the first task, how much an earlier run has left.
class continuation_listener {
 public:
  continuation_listener() = default;
  continuation_listener(const continuation_listener&) = delete;
  continuation_listener& operator=(const continuation_listener&) = delete;
  virtual ~continuation_listener() = default;

  /// `num_done` of the `num_tasks` tasks of the run need not run again.
  virtual void on_continuation(index_t num_done, index_t num_tasks) = 0;
};

}  // namespace tessera
