// SPDX-License-Identifier: Apache-2.0

/// \file
/// What a task costs on each engine besides what it computes.

#include "programs.hpp"

#include <memory>
#include <string>
#include <tessera/executor/executor.hpp>
#include <tessera/executor/scheduler.hpp>
#include <tessera/executor/workload_registry.hpp>
#include <vector>

namespace {

namespace ts = tessera;

/// Tasks that do nothing and are said to be so large that each is a batch of its own.
class empty_tasks final : public ts::workload {
 public:
  explicit empty_tasks(ts::index_t num_tasks) : operations_(1) {
    operations_[0].name = "nothing";
    operations_[0].num_tasks = num_tasks;
    operations_[0].elements_per_task = ts::index_t{1} << 40;
  }

  const std::vector<ts::workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, ts::index_t, std::size_t) override {}
  void end(std::size_t) override {}
  std::string describe(std::size_t, ts::index_t task) const override {
    return "task " + std::to_string(task);
  }
  ts::workload_recipe recipe() override {
    return {"empty tasks", std::to_string(operations_[0].num_tasks)};
  }

 private:
  std::vector<ts::workload_operation> operations_;
};

const bool is_known = ts::register_workload("empty tasks", [](const std::string& num_tasks) {
  return std::make_unique<empty_tasks>(std::stoll(num_tasks));
});

/// Measures an engine by its name: by how much each task makes a run longer.
void task_on(benchmark::State& state, const char* name, ts::index_t num_tasks, double limit) {
  const auto engine = ts::make_executor(name);
  empty_tasks work(num_tasks);
  contest::run_within(state, limit, static_cast<double>(num_tasks),
                      [&] { ts::run(work, *engine); });
}
BENCHMARK_CAPTURE(task_on, serial, "serial", 100'000, 5e-6)
    ->Name("an empty task, handed out alone: serial")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(task_on, threads, "threads:2", 100'000, 5e-6)
    ->Name("an empty task, handed out alone: threads:2")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(task_on, processes, "processes:2", 20'000, 50e-6)
    ->Name("an empty task, handed out alone: processes:2")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(task_on, simulated, "simulated:workers=10000,task_time=lognormal(100ms,0.3)",
                  1'000'000, 10e-6)
    ->Name("one of 10^6 tasks on 10^4 simulated workers")
    ->Apply(programs::in_rounds);

}  // namespace
