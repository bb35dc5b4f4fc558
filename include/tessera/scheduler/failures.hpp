// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The scheduler's judgement of the failure of a task.

#include "tessera/core/error.hpp"
#include "tessera/scheduler/workload.hpp"

#include <exception>
#include <memory>
#include <string>

namespace tessera {

/// A worker that could not take over the run, whichever task it was given.
class takeover_error : public error {
 public:
  /// `may_pass` tells whether another attempt is worth while.
  explicit takeover_error(const std::string& message, bool may_pass = false)
      : error(message), may_pass_(may_pass) {}

  [[nodiscard]] bool may_pass() const { return may_pass_; }

 private:
  bool may_pass_;
};

/// Returns the workload of `recipe`, in a process that shall run tasks of it.
///
/// Throws: takeover_error <- it cannot be made.
[[nodiscard]] std::unique_ptr<workload> take_over(const workload_recipe& recipe);

/// Returns the cause of a failure for people.
[[nodiscard]] std::string describe_cause(const std::exception_ptr& failure);

/// Returns the message of a run that `cause` has ended, in `attempts` attempts at `task`. It names
/// the task, unless the worker could not take over the run.
[[nodiscard]] std::string describe_failure(const std::string& task, int attempts,
                                           const std::exception_ptr& cause);

/// Tells whether a batch ended without its worker saying how far it had come.
[[nodiscard]] bool is_loss(const std::exception_ptr& failure);

}  // namespace tessera
