// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/execution.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/scheduler.hpp"

#include "executor/copy_workload.hpp"
#include "executor/plan_workload.hpp"

#include <utility>

namespace tessera {

namespace {

void run_under(const spec& limits, workload& work,
               std::vector<std::shared_ptr<observer>> watchers) {
  const std::shared_ptr<executor> engine =
      limits.executor != nullptr ? limits.executor : default_executor();
  run_options options;
  options.host_memory = limits.host_memory;
  options.baseline = resident_memory();
  options.observers = std::move(watchers);
  run(work, *engine, options);
}

}  // namespace

std::vector<computed_output> execute(const bounded_plan& plan,
                                     std::vector<std::shared_ptr<observer>> watchers) {
  plan.check_memory();
  plan_workload work(plan);
  run_under(plan.spec(), work, std::move(watchers));
  std::vector<computed_output> outputs = work.results();
  work.remove_intermediates();
  return outputs;
}

zarr_array copy_elements(const zarr_array& from, zarr_destination to, const spec& limits,
                         std::vector<std::shared_ptr<observer>> watchers) {
  copy_workload work(from, std::move(to), limits);
  run_under(limits, work, std::move(watchers));
  return work.result().with({});
}

}  // namespace tessera
