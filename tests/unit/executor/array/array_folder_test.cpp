// SPDX-License-Identifier: Apache-2.0
#include "executor/array/array_folder.hpp"

#include "tessera/core/error.hpp"

#include "core/api/host_name.hpp"
#include "executor/array/run_folder.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace tessera::job_arrays {
namespace {

namespace fs = std::filesystem;

class ArrayFolder : public ::testing::Test {
 protected:
  ~ArrayFolder() override { fs::remove_all(root); }

  fs::path root = fs::temp_directory_path() / ("array-folder-" + std::to_string(getpid()));
  array_folder folder{root / "0"};
};

TEST_F(ArrayFolder, ReturnsTheOrderThatWasWritten) {
  folder.write_order({3, bytes{1 << 20}, 8, {{0, 5}, {5, 7}, {100, 101}}});
  const array_order order = folder.read_order();
  EXPECT_EQ(order.operation, 3U);
  EXPECT_EQ(order.task_memory, bytes{1 << 20});
  EXPECT_EQ(order.num_workers, 8U);
  EXPECT_EQ(order.batches, (std::vector<task_range>{{0, 5}, {5, 7}, {100, 101}}));
}

TEST_F(ArrayFolder, SaysThatItIsGone) { EXPECT_THROW((void)folder.read_order(), store_error); }

TEST_F(ArrayFolder, ReturnsReportsWithFailuresOfSeveralLines) {
  folder.write_order({});
  EXPECT_FALSE(folder.read_report(4).has_value());
  constexpr std::int64_t now = 1'700'000'000'123'456'789;
  const traffic moved{bytes{34},
                      bytes{56},
                      78,
                      bytes{90},
                      bytes{12},
                      std::chrono::nanoseconds(3),
                      std::chrono::nanoseconds(4)};
  folder.write_report(4, {7, now, now + 5, 12, moved, "kind\na\nb\n", "node1"});
  const auto report = folder.read_report(4);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->done, 7);
  EXPECT_EQ(report->started, now);
  EXPECT_EQ(report->ended, now + 5);
  EXPECT_EQ(report->peak_memory, 12U);
  EXPECT_EQ(report->moved, moved);
  EXPECT_EQ(report->host, "node1");
  EXPECT_EQ(report->failure, "kind\na\nb\n");
}

TEST_F(ArrayFolder, ReturnsReportsThatDoNotSayWhatWasMoved) {
  folder.write_order({});
  folder.write_report(0, {7, 1, 2, 12, std::nullopt, "kind\n1 2 3\n"});
  const auto report = folder.read_report(0);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->peak_memory, 12U);
  EXPECT_FALSE(report->moved.has_value());
  EXPECT_EQ(report->failure, "kind\n1 2 3\n");
}

TEST_F(ArrayFolder, KnowsHowFarAnElementHasCome) {
  folder.write_order({});
  EXPECT_EQ(folder.read_progress(2), 0);
  EXPECT_EQ(folder.read_host(2), "");
  {
    progress_file progress = folder.begin(2, 0);
    progress.write(9);
    progress.write(10);
    EXPECT_EQ(folder.read_progress(2), 10);
    EXPECT_EQ(folder.read_host(2), host_name());
  }
  // As of an element that was started once more.
  const progress_file again = folder.begin(2, 10);
  EXPECT_EQ(folder.read_progress(2), 10);
}

TEST_F(ArrayFolder, TellsWhoHasBegunAndEnded) {
  folder.write_order({});
  (void)folder.begin(1, 0);
  (void)folder.begin(12, 0);
  folder.write_report(12, {});
  std::ofstream(folder.path() / "13.out") << "words\n";
  std::ofstream(folder.path() / "14.report.node7-88") << "half";
  const array_folder::element_states states = folder.look();
  const std::set<std::size_t> started(states.started.begin(), states.started.end());
  EXPECT_EQ(started, (std::set<std::size_t>{1, 12}));
  EXPECT_EQ(states.ended, std::vector<std::size_t>{12});
}

TEST_F(ArrayFolder, ReturnsTheLastWords) {
  folder.write_order({});
  EXPECT_EQ(folder.last_output(0), "");
  std::ofstream(folder.path() / "0.out") << "first\nlast\n";
  EXPECT_EQ(folder.last_output(0), "first\nlast\n");
  std::ofstream(folder.path() / "1.out") << std::string(1 << 20, 'x') << "last\n";
  EXPECT_EQ(folder.last_output(1).size(), 4096U);
  EXPECT_TRUE(folder.last_output(1).ends_with("xlast\n"));
}

TEST_F(ArrayFolder, KeepsRecipesOfAnyText) {
  fs::create_directories(root);
  write_recipe(root / "recipe", {"plan", "{\n\"a\": 1}\n"});
  const workload_recipe recipe = read_recipe(root / "recipe");
  EXPECT_EQ(recipe.kind, "plan");
  EXPECT_EQ(recipe.content, "{\n\"a\": 1}\n");
}

TEST_F(ArrayFolder, OfAnEndedRunIsRemoved) {
  fs::path path;
  {
    const run_folder run(root, "cluster");
    path = run.path();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

/// Not before: another run of the program may use it, too.
TEST_F(ArrayFolder, OfAProgramThatMadeItGoesWithIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path run_path = fs::temp_directory_path() / "tessera-made-by-a-run" / "on-cluster";
  const auto run_and_exit = [&run_path] {
    { const run_folder run(run_path, "cluster"); }
    std::exit(fs::is_empty(run_path) ? EXIT_SUCCESS : EXIT_FAILURE);
  };
  EXPECT_EXIT(run_and_exit(), ::testing::ExitedWithCode(EXIT_SUCCESS), "");
  EXPECT_FALSE(fs::exists(run_path));
  fs::remove(run_path.parent_path());
}

/// The folder of a killed driver has a lock that no process holds.
TEST_F(ArrayFolder, OfARunWhoseDriverIsGoneIsFound) {
  const run_folder living(root, "cluster");
  const fs::path orphan = root / "tessera-cluster-host-1-2-3";
  fs::create_directories(orphan);
  std::ofstream(orphan / "lock") << "";
  std::vector<std::string> orphans;
  const auto refuse = [&](const std::string& name) {
    orphans.push_back(name);
    return false;
  };
  remove_orphans(root, "cluster", refuse);
  EXPECT_EQ(orphans, std::vector{orphan.filename().string()});
  EXPECT_TRUE(fs::exists(orphan));
  remove_orphans(root, "cluster", [](const std::string&) { return true; });
  EXPECT_FALSE(fs::exists(orphan));
  EXPECT_TRUE(fs::exists(living.path()));
}

}  // namespace
}  // namespace tessera::job_arrays
