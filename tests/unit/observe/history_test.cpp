// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/history.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using namespace literals;
using testing::fake_operation;
using testing::fake_workload;

TEST(History, CountsWhatARunDid) {
  fake_workload work({fake_operation(1000, {}, {}, {}, 1), fake_operation(4, {0})},
                     [](std::size_t operation, index_t task, int attempt) {
                       if (operation == 1 && task == 2 && attempt < 3) {
                         throw store_error("busy", true);
                       }
                     });
  const auto past = std::make_shared<history>();
  run_options options;
  options.retry.first_pause = {};
  options.observers = {past};
  run(work, *executors::threads(2), options);
  ASSERT_EQ(past->operations().size(), 2U);
  EXPECT_EQ(past->operations()[0].num_done, 1000);
  EXPECT_EQ(past->operations()[1].num_done, 4);
  EXPECT_EQ(past->operations()[1].num_failures, 2);
  EXPECT_EQ(past->operations()[1].num_attempts, 6);
  EXPECT_LE(past->operations()[0].end, past->operations()[1].begin);
  EXPECT_LE(past->operations()[1].end, past->elapsed());
  EXPECT_LE(past->operations()[0].busy, 2 * past->operations()[0].end);
  EXPECT_EQ(past->executor_name(), "threads:2");
  EXPECT_EQ(past->outcome(), computation_outcome::completed);
}

TEST(History, PrintsATable) {
  std::vector<workload_operation> operations(2);
  operations[0].name = "read";
  operations[0].num_tasks = 4;
  operations[0].task_memory = 2_MB;
  operations[1].name = "mean over time";
  operations[1].num_tasks = 1;
  history past;
  past.on_computation_begin({operations, "threads:2", 2});
  past.on_operation_begin(0, 10ms);
  past.on_tasks_resumed(0, 1);
  past.on_tasks_end({0, 1, 2, 1, 1, 10ms, 260ms, 1200_kB});
  past.on_backup(0, 3, 270ms);
  past.on_tasks_end({0, 3, 1, 1, 1, 260ms, 270ms, 900_kB});
  past.on_operation_end(0, 300ms);
  past.on_operation_begin(1, 300ms);
  past.on_failure({1, 0, 0, 1, "busy", true});
  past.on_tasks_end({1, 0, 1, 0, 2, 300ms, 1500ms});
  past.on_operation_end(1, 1500ms);
  past.on_computation_end(computation_outcome::completed, 1600ms);
  std::ostringstream out;
  out << past;
  EXPECT_EQ(out.str(),
            "operation             tasks       done    resumed   attempts failures  backups  begin "
            "(s)    end (s)   busy (s)       peak  projected\n"
            "0 read                    4          4          1          3        0        1      "
            "0.010      0.300      0.260     1.2 MB     2.0 MB\n"
            "1 mean over time          1          1          0          2        1        0      "
            "0.300      1.500      1.200          -        0 B\n"
            "1.600 s on threads:2\n");
}

}  // namespace
}  // namespace tessera
