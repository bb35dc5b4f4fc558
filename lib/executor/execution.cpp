// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/execution.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/scheduler.hpp"

#include "executor/plan_workload.hpp"

#include <utility>

namespace tessera {

std::vector<computed_output> execute(const bounded_plan& plan,
                                     std::vector<std::shared_ptr<observer>> watchers) {
  plan.check_memory();
  plan_workload work(plan);
  const std::shared_ptr<executor> engine =
      plan.spec().executor != nullptr ? plan.spec().executor : default_executor();
  run_options options;
  options.host_memory = plan.spec().host_memory;
  options.baseline = resident_memory();
  options.observers = std::move(watchers);
  tessera::run(work, *engine, options);
  std::vector<computed_output> outputs = work.results();
  work.remove_intermediates();
  return outputs;
}

}  // namespace tessera
