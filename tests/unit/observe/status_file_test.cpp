// SPDX-License-Identifier: Apache-2.0
#include "observe/status_file.hpp"

#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;

std::vector<workload_operation> operations_to_show() {
  std::vector<workload_operation> operations(2);
  operations[0].name = "read u";
  operations[0].num_tasks = 4;
  operations[1].name = "mean";
  operations[1].num_tasks = 4;
  return operations;
}

class StatusFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const testing::temporary_directory directory;
  const std::string path = directory / "status";
  const std::vector<workload_operation> operations = operations_to_show();
  status_file status{path};
};

TEST_F(StatusFile, HasOperationsTasksTimeLeftAndFailures) {
  status.on_computation_begin({operations, "serial", 1});
  EXPECT_EQ(text(),
            "running on serial\n"
            "0 read u             [                    ]   0 %  0/4 tasks\n"
            "1 mean               [                    ]   0 %  0/4 tasks\n"
            "all 2 operations     [                    ]   0 %  0/8 tasks  0.00/s\n");
  status.on_operation_begin(0, 0s);
  status.on_tasks_end({0, 0, 2, 0, 1, {}, 10s});
  EXPECT_EQ(text(),
            "running on serial\n"
            "0 read u             [##########          ]  50 %  2/4 tasks\n"
            "1 mean               [                    ]   0 %  0/4 tasks\n"
            "all 2 operations     [#####               ]  25 %  2/8 tasks  0.20/s  0:30 left\n");
  status.on_failure({1, 3, 0, 1, "disk full", true, 10s, 20s});
  EXPECT_NE(
      text().find("1 tried again\n1 attempts failed; the last one: task 3 of 1 mean: disk full\n"),
      std::string::npos)
      << text();
  status.on_computation_end(computation_outcome::interrupted, 21s);
  EXPECT_TRUE(text().starts_with("stopped on serial\n"));
}

TEST_F(StatusFile, IsWrittenOnceASecondAtMost) {
  status.on_computation_begin({operations, "serial", 1});
  status.on_tasks_end({0, 0, 1, 0, 1, {}, 900ms});
  EXPECT_EQ(text().find("1/4"), std::string::npos);
  status.on_tasks_end({0, 1, 1, 0, 1, {}, 1100ms});
  EXPECT_NE(text().find("2/4"), std::string::npos);
}

TEST(AStatusFileThatCannotBeWritten, EndsNoComputation) {
  const std::vector<workload_operation> operations = operations_to_show();
  status_file status("/there/is/no/such/folder/status");
  EXPECT_NO_THROW(status.on_computation_begin({operations, "serial", 1}));
}

}  // namespace
}  // namespace tessera
