// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A message about a time-out of tasks that has no effect.

#include "tessera/scheduler/observer.hpp"

#include <iosfwd>

namespace tessera {

/// Warns at the begin of a computation if its tasks have a time-out and its executor cannot stop a
/// task: "the time-out of tasks has no effect on threads:4, which cannot stop a task; ...".
class timeout_note final : public observer {
 public:
  /// `out` outlives the note.
  explicit timeout_note(std::ostream& out) : out_(out) {}

  void on_computation_begin(const computation_event& event) override;

 private:
  std::ostream& out_;
};

}  // namespace tessera
