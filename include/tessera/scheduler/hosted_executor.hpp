// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Engines whose workers are threads of the host program, lent for one computation at a time.

#include "tessera/scheduler/executor.hpp"

#include <functional>

namespace tessera {

/// An engine that has workers only during a call: the host program lends its threads.
///
/// `run` (scheduler.hpp) calls `host`, and schedules inside of it. A session that is started
/// elsewhere runs its batches in the thread that waits for them.
class hosted_executor : public executor {
 public:
  /// Calls `schedule` once, on a thread that is a worker too, while the other workers run batches;
  /// returns when `schedule` has returned and all workers are given back.
  ///
  /// Throws: the exception of `schedule`; whatever the host program throws.
  virtual void host(const std::function<void()>& schedule) = 0;
};

}  // namespace tessera
