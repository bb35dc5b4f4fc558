// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs through a launcher, with a folder in a bucket of radosgw.

#include "tessera/executor/launcher.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/store/s3.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "executor/api/coordinated_runs.hpp"
#include "executor/api/named_run.hpp"
#include "unit/store/s3/radosgw.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

TEST(RunOnRadosgw, IsListedUntilItsDriverIsDeadAndRemoved) {
  const std::string folder = radosgw_bucket() + "/runs to list";
  const auto store = open_s3_store(folder);
  const auto write = [&](const char* key, std::string_view text) {
    store->write(key, std::as_bytes(std::span(text)));
  };
  write("tessera-launcher-1/epoch/1", "process 7 on login1\ntessera-launcher-1");
  write("tessera-launcher-1/alive/1", "3 of process 7 on login1");
  write("tessera-launcher-1/tessera-launcher-1/0/order", "0 1 1\n0 1\n");
  write("tessera-launcher-2/tessera-launcher-2/0/0.report", "of an element after the end");
  write("another folder/value", "stays");
  const std::vector<coordinated_run> runs = coordinated_runs(folder);
  ASSERT_EQ(runs.size(), 2);
  EXPECT_EQ(runs[0].location, folder + "/tessera-launcher-1");
  EXPECT_EQ(runs[0].driver, "process 7 on login1");
  EXPECT_EQ(runs[0].size, bytes{38 + 24 + 10});
  EXPECT_LE(runs[0].silence.value(), 60s);
  EXPECT_TRUE(runs[0].is_running);
  EXPECT_FALSE(runs[1].is_running);
  EXPECT_EQ(remove_coordinated_runs(folder), 1);
  EXPECT_EQ(coordinated_runs(folder).size(), 1);
  // Every sign of life is older than that.
  EXPECT_FALSE(coordinated_runs(folder, -1s).front().is_running);
  EXPECT_EQ(remove_coordinated_runs(folder, -1s), 1);
  EXPECT_EQ(store->list(""), std::vector<std::string>{"another folder/value"});
}

}  // namespace
}  // namespace tessera::testing
