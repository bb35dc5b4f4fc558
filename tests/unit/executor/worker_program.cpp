// SPDX-License-Identifier: Apache-2.0
//
// A program that turns into a worker if its environment says so, and else makes an executor, and
// runs tasks on it that never end.
//
// usage: worker_program <executor> [hang [ignore]]
//
//   ignore  ignores the ends of processes
#include "tessera/executor/executors.hpp"
#include "tessera/runtime/runtime.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <csignal>
#include <cstdio>

namespace {

void run_hanging_tasks(tessera::executor& engine) {
  using tessera::testing::scripted_action;
  tessera::workload_operation tasks;
  tasks.num_tasks = 4;
  tessera::testing::scripted_workload work({tasks}, {{.action = scripted_action::hang}});
  tessera::run(work, engine);
}

}  // namespace

int main(int argc, char** argv) {
  const tessera::runtime around{argc, argv};
  if (argc < 2) return 2;
  // The build is a part of the text, so that two builds of this source differ.
  std::printf("%s in build %d\n", tessera::make_executor(argv[1])->name().c_str(),
              TESSERA_BUILD_OF_PROGRAM);
  if (argc > 3) std::signal(SIGCHLD, SIG_IGN);
  if (argc > 2) run_hanging_tasks(*tessera::make_executor(argv[1]));
  return 0;
}
