// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Maps one after the other on virtual clocks: when each of their tasks has run.

#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/idle_workload.hpp"
#include "unit/scheduler/virtual_engine.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace tessera::testing {

inline std::vector<task_range> same_tasks(std::size_t, task_range tasks, std::size_t) {
  return {tasks};
}

/// Maps one after the other, with equal numbers of tasks: each task reads the task of the same
/// number in the map before.
inline void chain(idle_workload& work, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) work[i].after = {i - 1};
  work.needed = same_tasks;
}

/// The begin and the end of each task.
class times_observer final : public observer {
 public:
  struct span {
    session_time began{};
    session_time ended{};
  };

  void on_tasks_end(const tasks_event& event) override {
    for (index_t task = event.first; task < event.first + event.count; ++task) {
      spans[event.operation][task] = {event.started, event.ended};
    }
  }
  void on_computation_end(computation_outcome, session_time now) override { elapsed = now; }

  std::map<std::size_t, std::map<index_t, span>> spans;
  session_time elapsed{};
};

struct timed_options : run_options {
  timed_options() {
    observers = {times};
    backups.is_on = false;
  }
  std::shared_ptr<times_observer> times = std::make_shared<times_observer>();
};

/// Tells whether no task began before the tasks of its sources that it needs had ended.
inline bool keeps_order(idle_workload& work, const times_observer& times) {
  for (std::size_t i = 0; i < work.operations().size(); ++i) {
    for (const std::size_t source : work.operations()[i].after) {
      for (index_t task = 0; task < work.operations()[i].num_tasks; ++task) {
        for (const task_range& range : work.needs(i, {task, task + 1}, source)) {
          for (index_t needed = range.first; needed < range.last; ++needed) {
            const session_time end = times.spans.at(source).at(needed).ended;
            if (times.spans.at(i).at(task).began < end) return false;
          }
        }
      }
    }
  }
  return true;
}

inline virtual_engine engine_of(std::size_t num_workers) {
  return virtual_engine(num_workers,
                        [](const task_batch&, int) -> fate { return {std::chrono::seconds{1}}; });
}

}  // namespace tessera::testing
