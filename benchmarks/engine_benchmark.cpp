// SPDX-License-Identifier: Apache-2.0

/// \file
/// What engines cost: a task that does nothing, and programs that read and write as on threads.

#include "programs.hpp"

#include <functional>
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

/// Compares a program on two processes with the same one on two threads.
void on_processes(benchmark::State& state, double amount,
                  const std::function<void(const ts::spec&)>& program,
                  const std::function<void()>& prepare) {
  ts::spec there = programs::spec();
  there.executor = ts::executors::processes(2);
  contest::run(state, {.amount = amount, .bound = 1.1},
               {.tessera = {.program = [&] { program(there); }, .prepare = prepare},
                .by_hand = {.program = [&] { program(programs::spec()); }, .prepare = prepare},
                .agree = [] { return true; }});
  data::remove_results();
}

void expression_on_processes(benchmark::State& state) {
  const hand_written::zarr_array files[] = {data::field(0), data::field(1), data::field(2)};
  std::string path;
  on_processes(
      state, 4.0 * static_cast<double>(files[0].num_bytes()),
      [&](const ts::spec& spec) {
        const auto a = ts::open<double, 2>(files[0].path.string(), spec);
        const auto b = ts::open<double, 2>(files[1].path.string(), spec);
        const auto c = ts::open<double, 2>(files[2].path.string(), spec);
        ts::store(ts::sqrt(a * a + b * b) - 0.5 * c, path);
      },
      [&] { path = data::result(files[0], "tessera").path.string(); });
}
BENCHMARK(expression_on_processes)
    ->Name("store(sqrt(a*a + b*b) - 0.5*c): processes:2 against threads:2")
    ->Apply(programs::in_rounds);

void means_on_processes(benchmark::State& state) {
  const hand_written::zarr_array u_file = data::wind("u");
  const hand_written::zarr_array v_file = data::wind("v");
  on_processes(
      state, static_cast<double>(u_file.num_bytes() + v_file.num_bytes()),
      [&](const ts::spec& spec) {
        const auto u = ts::open<float, 3>(u_file.path.string(), spec);
        const auto v = ts::open<float, 3>(v_file.path.string(), spec);
        const auto results =
            ts::compute(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>));
        benchmark::DoNotOptimize(results);
      },
      [] {});
}
BENCHMARK(means_on_processes)
    ->Name("mean(u*v), mean(u*u) over time: processes:2 against threads:2")
    ->Apply(programs::in_rounds);

}  // namespace
