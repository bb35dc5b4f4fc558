// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/process_group.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"

namespace tessera {

group_work& group_work_of(workload& work) {
  if (group_work* const shared = work.group_work()) return *shared;
  throw value_error(
      "run: this workload cannot be run by several processes together; use an executor that has "
      "its workers to itself, \"serial\", \"threads\" or \"processes\"");
}

void run_together(workload& work, executor& engine, const std::function<void()>& schedule) {
  process_group* const group = engine.group();
  if (group == nullptr) return schedule();
  if (group->serve(work)) return;
  try {
    schedule();
  } catch (...) {
    group->conclude(std::current_exception());
    throw;
  }
  group->conclude(nullptr);
}

void meet(executor& engine, const std::exception_ptr& failure) {
  if (process_group* const group = engine.group()) return group->meet(failure);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera
