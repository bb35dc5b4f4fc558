// SPDX-License-Identifier: Apache-2.0
#include "task/api/target.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/scheduler/executor.hpp"

#include "core/api/resident_library.hpp"
#include "plan/api/plan_request.hpp"
#include "plan/api/planned.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

bool keeps_arrays_in_memory(const bounded_plan::implementation& plan) {
  return std::ranges::any_of(plan.arrays,
                             [](const planned_array& array) { return array.is_in_memory(); });
}

std::string describe_workers(const plan_workers& workers) {
  if (workers.count == 0) return "workers on other hosts";
  return fmt::format("{} worker{}{}", workers.count, workers.count == 1 ? "" : "s",
                     workers.are_processes ? " in processes of their own" : " in this process");
}

[[noreturn]] void throw_other_target(const executor& engine, const std::string& why) {
  throw value_error(
      fmt::format("run: the executor \"{}\" cannot run a plan that was made for another one: {}; "
                  "plan for it: ts::plan(x, ts::run_with{{.executor = ...}})",
                  engine.name(), why));
}

}  // namespace

bounded_plan plan_for(std::vector<plan_output> outputs, const spec& limits, pass_switches passes,
                      const executor& engine) {
  const executor_traits traits = engine.traits();
  passes.memory_tier = passes.memory_tier && (traits.shares_memory || traits.maps_memory);
  plan_workers workers = workers_of(engine);
  add_processes(workers, engine);
  const std::vector<std::string> loaded = loaded_resident_libraries();
  bounded_plan plan(outputs, limits, passes, workers);
  // Planning a product loads BLAS: `workers.process` was measured without its memory.
  if (loaded_resident_libraries() != loaded) {
    add_processes(workers, engine);
    plan = bounded_plan(std::move(outputs), limits, passes, workers);
  }
  if (!traits.shares_memory && traits.computes) plan.check_portable();
  return plan;
}

bounded_plan planned_anew(const bounded_plan& plan, const executor& engine) {
  std::optional<plan_request> request = request_of(plan);
  if (!request) return plan;
  return plan_for(std::move(request->outputs), plan.spec(), request->passes, engine);
}

plan_workers workers_of(const executor& engine) {
  const executor_traits traits = engine.traits();
  return {.count = traits.shares_host ? engine.num_workers() : 0,
          .are_processes = !traits.shares_memory,
          .num_receivers = traits.computes ? traits.num_receivers : 0,
          .count_on_all = engine.num_workers(),
          .costs = traits.costs};
}

void add_processes(plan_workers& workers, const executor& engine) {
  const executor_traits traits = engine.traits();
  if (!traits.computes || !traits.shares_host || traits.num_receivers > 1) return;
  workers.process = memory_before_run();
  workers.worker_process = traits.worker_memory;
}

void check_target(const bounded_plan& plan, const executor& engine) {
  if (!engine.traits().computes) return;
  const plan_workers& planned = plan.inside().workers;
  const plan_workers now = workers_of(engine);
  const bool has_memory = engine.traits().shares_memory || engine.traits().maps_memory;
  if (!has_memory && keeps_arrays_in_memory(plan.inside())) {
    throw_other_target(engine,
                       "the plan keeps arrays in this host's memory, where the executor's workers "
                       "cannot reach them");
  }
  if (now.count > planned.count || (now.are_processes && !planned.are_processes)) {
    throw_other_target(engine, fmt::format("the plan's memory is bounded for {}, and these are {}",
                                           describe_workers(planned), describe_workers(now)));
  }
  if (now.num_receivers > planned.num_receivers) {
    throw_other_target(engine,
                       fmt::format("the plan's memory is bounded for {} processes that receive the "
                                   "results, and these are {}",
                                   planned.num_receivers, now.num_receivers));
  }
}

}  // namespace tessera
