// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/team.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"

namespace tessera {

teamwork& teamwork_of(workload& work) {
  if (teamwork* const shared = work.teamwork()) return *shared;
  throw value_error(
      "run: this workload cannot be run by several processes together; use an executor that has "
      "its workers to itself, \"serial\", \"threads\" or \"processes\"");
}

void run_together(workload& work, executor& engine, const std::function<void()>& schedule) {
  team* const all = engine.team();
  if (all == nullptr) return schedule();
  if (all->serve(work)) return;
  try {
    schedule();
  } catch (...) {
    all->conclude(std::current_exception());
    throw;
  }
  all->conclude(nullptr);
}

void meet(executor& engine, const std::exception_ptr& failure) {
  if (team* const all = engine.team()) return all->meet(failure);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera
