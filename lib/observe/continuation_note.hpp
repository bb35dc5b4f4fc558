// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A message about the tasks of a computation that an earlier run has done.

#include "tessera/scheduler/observer.hpp"

#include "task/api/continuation_listener.hpp"

#include <iosfwd>

namespace tessera {

/// Prints "continuing: 120 of 400 tasks were there" before the first task of a computation, if an
/// earlier run has done some of its tasks.
class continuation_note final : public observer, public continuation_listener {
 public:
  /// `out` outlives the note.
  explicit continuation_note(std::ostream& out) : out_(out) {}

  void on_continuation(index_t num_done, index_t num_tasks) override;

 private:
  std::ostream& out_;
};

}  // namespace tessera
