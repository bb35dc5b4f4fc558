// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A message about the tasks of a computation that an earlier run has done.

#include "tessera/scheduler/observer.hpp"

#include <iosfwd>

namespace tessera {

/// Prints "continuing: 120 of 400 tasks were there" before the first task of a computation, if an
/// earlier run has done some of its tasks.
///
/// An operation reports its finished tasks at its begin. The message waits for the first task that
/// ends, because all operations without remaining tasks begin before it.
class continuation_note final : public observer {
 public:
  /// `out` outlives the note.
  explicit continuation_note(std::ostream& out) : out_(out) {}

  void on_computation_begin(const computation_event& event) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_failure(const failure_event& event) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  void print();

  std::ostream& out_;
  index_t num_tasks_ = 0;
  index_t num_resumed_ = 0;
  bool is_said_ = false;
};

}  // namespace tessera
