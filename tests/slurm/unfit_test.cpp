// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/slurm.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "slurm/cluster.hpp"
#include "unit/scheduler/message_of_run.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <string>

namespace tessera::testing {
namespace {

/// Expects that a run ends at its first attempt, with `words`, if elements start the program that
/// `change`, a command of sed, puts into their script.
void expect_unfit(const std::string& change, const std::string& words) {
  const other_command sbatch("sbatch", R"(for script; do :; done
sed -i -E ')" + change + R"(' "$script"; exec $slurm "$@")");
  workload_operation two_tasks;
  two_tasks.num_tasks = 2;
  two_tasks.task_memory = bytes{16 << 20};
  scripted_workload work({two_tasks});
  const std::string message = message_of_run<task_error>(work, *executors::slurm(quick_options(2)));
  EXPECT_NE(message.find("a worker could not take over the run: slurm: the job"), std::string::npos)
      << message;
  EXPECT_NE(message.find(words), std::string::npos) << message;
  EXPECT_EQ(work.num_runs(), 0);
}

#if defined(__AVX__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// This program is compiled for this host's processor, and emulated on an older one.
TEST(SlurmNode, SaysThatAProcessorLacksAFeature) {
  expect_unfit("s/^exec/exec qemu-x86_64-static -cpu Nehalem/",
               "this program was built for a processor with");
}
#endif

TEST(SlurmNode, SaysThatAProgramIsAnotherBuild) {
  expect_unfit("s|^exec .*|exec " TESSERA_SLURM_DRIVER "|", "this program is another build (");
}

}  // namespace
}  // namespace tessera::testing
