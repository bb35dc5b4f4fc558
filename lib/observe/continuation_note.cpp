// SPDX-License-Identifier: Apache-2.0
#include "observe/continuation_note.hpp"

#include <fmt/format.h>
#include <ostream>

namespace tessera {

void continuation_note::on_computation_begin(const computation_event& event) {
  num_resumed_ = 0;
  is_said_ = false;
  num_tasks_ = 0;
  for (const workload_operation& operation : event.operations) num_tasks_ += operation.num_tasks;
}

void continuation_note::on_tasks_resumed(std::size_t, index_t count) { num_resumed_ += count; }

void continuation_note::on_tasks_end(const tasks_event&) { print(); }

void continuation_note::on_failure(const failure_event&) { print(); }

void continuation_note::on_computation_end(computation_outcome, session_time) { print(); }

void continuation_note::print() {
  if (is_said_ || num_resumed_ == 0) return;
  is_said_ = true;
  out_ << (num_resumed_ == num_tasks_
               ? fmt::format("nothing to do: all {} tasks were there\n", num_tasks_)
               : fmt::format("continuing: {} of {} tasks were there\n", num_resumed_, num_tasks_))
       << std::flush;
}

}  // namespace tessera
