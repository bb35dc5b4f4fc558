// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The line that tells how much of a computation an earlier run has left.

#include "tessera/scheduler/observer.hpp"

#include <iosfwd>

namespace tessera {

/// Prints "continuing: 120 of 400 tasks were there" before the first task of a computation of which
/// an earlier run has done some; nothing otherwise.
///
/// An operation tells what is there when it begins. The line waits for the first task that ends, as
/// until then those begin of which nothing is left to do.
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
