// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/executor/launcher.hpp"
#include "tessera/executor/on.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/testing/executor_conformance.hpp"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace tessera::testing {
namespace {

using namespace std::chrono_literals;

bool add_processes(std::size_t count) {
  return register_executor_conformance("processes" + std::to_string(count),
                                       [count] { return executors::processes(count); },
                                       {.shares_memory = false,
                                        .maps_memory = true,
                                        .replaces_workers = true,
                                        .stops_workers = true,
                                        .limits_memory = true});
}

/// Registers a launcher; by default the shell's, else the command of an environment variable.
bool add_launcher(const std::string& name) {
  const char* const command = std::getenv("CONFORMANCE_LAUNCHER");
  launcher_options options;
  options.command = command != nullptr ? command : TESSERA_LAUNCHERS "/shell.sh";
  options.workers = 4;
  options.max_elements = 8;
  options.directory = (std::filesystem::temp_directory_path() / "tessera-launcher-test").string();
  options.timing = {.poll = 20ms, .query = 100ms, .visible = 100ms, .patience = 60s};
  return register_executor_conformance(name, [options] { return executors::launcher(options); },
                                       {.shares_memory = false,
                                        .shares_host = false,
                                        .replaces_workers = true,
                                        .starts_a_worker_a_batch = true,
                                        .limits_memory = true});
}

bool add_simulated(const std::string& name, const simulated_options& options) {
  // A task that takes no time cannot be stopped while it runs.
  return register_executor_conformance(
      name, [options] { return executors::simulated(options); },
      {.computes = false,
       .shares_memory = options.in_process,
       .shares_host = options.in_process,
       .stops_workers = !options.in_process && options.task_time != random_time()});
}

/// A loop of a host program with a thread for each call.
void call_at_once(std::size_t n, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < n; ++i) threads.emplace_back(body, i);
}

bool add_on(std::size_t count) {
  return register_executor_conformance("on" + std::to_string(count),
                                       [=] { return executors::on(count, call_at_once); });
}

const bool serial = register_executor_conformance("serial", executors::serial);
const bool thread = register_executor_conformance("threads1", [] { return executors::threads(1); });
const bool couple = register_executor_conformance("threads2", [] { return executors::threads(2); });
const bool own1 = add_processes(1);
const bool own2 = add_processes(2);
const bool own4 = add_processes(4);
const bool shell = add_launcher("launcher4");
const bool crowd = register_executor_conformance("threads9", [] { return executors::threads(9); });
const bool lent1 = add_on(1);
const bool lent4 = add_on(4);
const bool instant = add_simulated("simulated1", {});
const bool home = add_simulated("simulated2", {.workers = 2, .task_time = 1ms, .in_process = true});
const bool remote =
    add_simulated("simulated1000", {.workers = 1000,
                                    .start_up = 2s,
                                    .batch_overhead = 10us,
                                    .task_time = random_time::lognormal(100ms, 0.3),
                                    .stragglers = {.probability = 0.01, .slowness = 5}});

}  // namespace
}  // namespace tessera::testing
