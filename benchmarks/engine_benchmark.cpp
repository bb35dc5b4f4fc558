// SPDX-License-Identifier: Apache-2.0

/// \file
/// The cost of engines: an empty task, and programs that read and write, against threads.

#include "empty_tasks.hpp"
#include "engine_programs.hpp"
#include "programs.hpp"

#include <memory>
#include <string>
#include <tessera/scheduler/executor.hpp>
#include <tessera/scheduler/scheduler.hpp>
#include <tessera/scheduler/workload_registry.hpp>

namespace {

namespace ts = tessera;

const bool is_known = ts::register_workload("empty tasks", [](const std::string& num_tasks) {
  return std::make_unique<empty_tasks>(std::stoll(num_tasks));
});

/// Measures the time that each task adds to a run on the engine `name`.
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

/// Compares each program on two processes with the same on two threads.
bool compare_processes_with_threads() {
  for (const programs::named_program& named : programs::engine_programs) {
    const std::string name = named.name + std::string(": processes:2 against threads:2");
    benchmark::RegisterBenchmark(name.c_str(), [make = named.make](benchmark::State& state) {
      programs::against_threads(state, make(), ts::executors::processes(2));
    })->Apply(programs::in_rounds);
  }
  return true;
}
const bool are_compared = compare_processes_with_threads();

}  // namespace
