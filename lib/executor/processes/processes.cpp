// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/processes/session.hpp"
#include "executor/processes/worker_process.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <tbb/info.h>

namespace tessera::executors {

namespace {

class processes_executor final : public executor {
 public:
  explicit processes_executor(std::size_t num_workers)
      : num_workers_(num_workers), pool_(num_workers) {}

  std::string name() const override { return "processes:" + std::to_string(num_workers_); }
  std::size_t num_workers() const override { return num_workers_; }
  executor_traits traits() const override {
    return {.shares_memory = false,
            .maps_memory = pool_.maps_memory(),
            .stops_tasks = true,
            .cost_per_batch = std::chrono::microseconds{50},
            .worker_memory = pool_.worker_memory()};
  }
  std::unique_ptr<executor_session> start(workload& work) override {
    return std::make_unique<processes_session>(pool_, work, num_workers_);
  }

 private:
  std::size_t num_workers_;
  mutable worker_pool pool_;
};

}  // namespace

std::shared_ptr<executor> processes(std::size_t count) {
  (void)program_arguments();
  if (count == 0) count = static_cast<std::size_t>(tbb::info::default_concurrency());
  return std::make_shared<processes_executor>(count);
}

}  // namespace tessera::executors
