// SPDX-License-Identifier: Apache-2.0

/// \file
/// A program with worker processes that a test starts and kills. It prints its progress, and its
/// inherited output ends only with the last of its processes.
///
/// usage: processes_program hang | stop | wait

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/runtime/runtime.hpp"
#include "tessera/scheduler/interrupt.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace ts = tessera;
using ts::testing::script_rule;
using ts::testing::scripted_action;
using ts::testing::scripted_workload;

class failure_counter final : public ts::observer {
 public:
  void on_failure(const ts::failure_event&) override { ++count; }
  int count = 0;
};

void say(std::string_view message) { std::cout << message << std::endl; }

template <class Condition>
void wait_until(Condition is_true) {
  while (!is_true()) std::this_thread::sleep_for(std::chrono::microseconds{100});
}

int run_tasks(const std::vector<script_rule>& script) {
  const auto engine = ts::executors::processes(2);
  scripted_workload work({{.name = "op",
                           .num_tasks = 20,
                           .element_steps_per_task = 1 << 20,
                           .task_memory = {},
                           .resident_memory = {},
                           .after = {}}},
                         script);
  const std::jthread speaker([&](const std::stop_token& is_over) {
    wait_until([&] { return work.num_runs() >= 2 || is_over.stop_requested(); });
    say("running");
    wait_until([&] { return ts::interrupt_requested() || is_over.stop_requested(); });
    say("stopping");
    work.confirm_stop();
  });
  const auto failures = std::make_shared<failure_counter>();
  ts::run_options options;
  options.observers = {failures};
  try {
    ts::run(work, *engine, options);
  } catch (const ts::interrupted_error&) {
    say("interrupted, " + std::to_string(failures->count) + " failures");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "hang") return run_tasks({{.action = scripted_action::hang}});
  if (mode == "stop") return run_tasks({{.action = scripted_action::stop_the_run}});
  say("ready");
  std::string line;
  std::getline(std::cin, line);
  return run_tasks({});
}
