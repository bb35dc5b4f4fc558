// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs through a launcher, with a folder in a bucket of radosgw.

#include "tessera/executor/launcher.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/store/s3.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "executor/api/named_run.hpp"
#include "unit/store/s3/radosgw.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>

namespace tessera::testing {
namespace {

using namespace std::chrono_literals;

/// A workload with a name, as plans that store arrays have one.
class named_tasks final : public scripted_workload, public named_run {
 public:
  explicit named_tasks(index_t count) : scripted_workload({operation(count)}) {}
  [[nodiscard]] std::string run_name() override { return "0123456789"; }

 private:
  static workload_operation operation(index_t count) {
    workload_operation tasks;
    tasks.num_tasks = count;
    tasks.task_memory = bytes{1 << 20};
    return tasks;
  }
};

std::shared_ptr<executor> launcher_in(const std::string& folder) {
  launcher_options options;
  options.command = TESSERA_LAUNCHERS "/shell.sh";
  options.workers = 2;
  options.max_elements = 8;
  options.directory = folder;
  options.timing = {.query = 100ms, .silence = 500ms, .look = 50ms};
  return executors::launcher(options);
}

TEST(RunOnRadosgw, HasItsFolderInTheBucket) {
  const std::string folder = radosgw_bucket() + "/runs of a test";
  named_tasks work(16);
  run(work, *launcher_in(folder));
  EXPECT_EQ(work.num_runs(), 16);
  EXPECT_TRUE(work.violations().empty());
  EXPECT_TRUE(open_s3_store(folder)->list("").empty());
}

// The elements of the program that was killed have not run.
TEST(RunOnRadosgw, IsTakenOverFromAProgramWithoutASignOfLife) {
  const std::string folder = radosgw_bucket() + "/runs taken over";
  const auto store = open_s3_store(folder + "/tessera-launcher-0123456789");
  const std::string killed = "process 1 on another host\ntessera-launcher-1";
  ASSERT_TRUE(store->write_if("epoch/1", std::as_bytes(std::span(killed)), {}));
  ASSERT_FALSE(store->write_if("epoch/1", std::as_bytes(std::span(killed)), {}));
  store->write("alive/1", std::as_bytes(std::span(killed)));
  named_tasks work(4);
  run(work, *launcher_in(folder));
  EXPECT_EQ(work.num_runs(), 4);
  EXPECT_TRUE(store->list("").empty());
}

}  // namespace
}  // namespace tessera::testing
