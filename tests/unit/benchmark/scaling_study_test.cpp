// SPDX-License-Identifier: Apache-2.0
#include "tessera/benchmark/scaling_study.hpp"

#include "tessera/core/error.hpp"
#include "tessera/tessera.hpp"

#include "observe/api/study_files.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

class ScalingStudy : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Runs all studies with `flags`; returns the results of the study "means".
  study_results run(std::vector<std::string> flags = {"--benchmark_repetitions=2"},
                    int exit_code = 0) {
    flags.insert(flags.begin(), {"test", "--study_out=" + folder_, "--benchmark_filter=.*"});
    std::vector<char*> words;
    for (std::string& flag : flags) words.push_back(flag.data());
    words.push_back(nullptr);
    EXPECT_EQ(run_studies(static_cast<int>(flags.size()), words.data()), exit_code);
    return read_study(folder_ + "/means");
  }

  std::string folder_ = testing::TempDir() + "scaling_study" + std::to_string(getpid());
};

study_plan means(const study_point& p) {
  const auto u = p.input<float, 2>("u", {8 * p.scale(), 100}, {.chunks = {2, 100}});
  return p.plan(stored(mean(u, axis<1>), p.output("means")));
}

TEST_F(ScalingStudy, MeasuresThreadsAndProcesses) {
  scaling_study study("means", means);
  study.strong({1, 2}, {.scale = 4}).on("processes").strong({1, 2}, {.scale = 4});
  const study_results results = run();
  ASSERT_EQ(results.points.size(), 4U);
  for (const point_result& point : results.points) {
    EXPECT_EQ(point.seconds.size(), 2U);
    EXPECT_EQ(point.scale, 4);
    EXPECT_GT(point.num_tasks, 0U);
    EXPECT_GE(point.moved.count(), 32U * 100 * sizeof(float));
  }
  EXPECT_EQ(results.points[0].engine, "processes");
  EXPECT_EQ(results.points[3].engine, "threads");
}

TEST_F(ScalingStudy, PlansSimulatedPointsAnewForTheirWorkers) {
  scaling_study study("means", [](const study_point& p) {
    const auto u = p.input<float, 2>("u", {1'000'000, 1000}, {.chunks = {10'000, 1000}});
    return p.plan(mean(u, axis<0>));
  });
  study.strong({1}).simulated({1, 10, 100'000});
  const study_results results = run({"--benchmark_filter=simulated"});
  ASSERT_EQ(results.points.size(), 3U);
  EXPECT_TRUE(results.points[0].is_simulated);
  EXPECT_EQ(results.points[2].workers, 100'000U);
  // 4 GB at 100 MB/s take one worker 40 s; a hundred chunks, 20 ms each, 2 s.
  EXPECT_GT(results.points[0].seconds.at(0), 40);
  EXPECT_LT(results.points[0].seconds.at(0), 60);
  EXPECT_LT(results.points[1].seconds.at(0), results.points[0].seconds.at(0) / 5);
  EXPECT_NE(results.points[0].num_tasks, results.points[2].num_tasks);
}

TEST_F(ScalingStudy, RepeatsUntilIntervalsAreNarrow) {
  scaling_study study("means", means);
  study.strong({1});
  const study_results results = run({});
  ASSERT_EQ(results.points.size(), 1U);
  const std::size_t count = results.points[0].seconds.size();
  EXPECT_GE(count, 6U);
  EXPECT_LE(count, 30U);
  EXPECT_TRUE(count == 30 || is_narrow(median_of(results.points[0].seconds))) << count;
}

TEST_F(ScalingStudy, RunsMoreThanOnceInAProgram) {
  for (int i = 0; i < 3; ++i) {
    scaling_study study("means", means);
    study.strong({1}, {.scale = 4});
    EXPECT_EQ(run().points.size(), 1U);
  }
}

TEST_F(ScalingStudy, DoubtsAWeakStudyWhoseWorkGrows) {
  scaling_study study("means", [](const study_point& p) {
    const auto u = p.input<float, 2>("u", {8 * p.scale() * p.scale(), 100}, {.chunks = {2, 100}});
    return p.plan(stored(mean(u, axis<1>), p.output("means")));
  });
  study.weak({1, 2});
  const std::vector<std::string> doubts = doubts_about(run());
  EXPECT_TRUE(std::ranges::any_of(doubts, [](const std::string& doubt) {
    return doubt.find("the work of a worker is 2.00") != std::string::npos;
  }));
}

TEST_F(ScalingStudy, TellsWhichPointsCouldNotBeMeasured) {
  scaling_study study("means", [](const study_point& p) {
    if (p.scale() == 2) throw value_error("two are one too many");
    return means(p);
  });
  study.weak({1, 2}).simulated({2, 4});
  const study_results results = run({"--benchmark_repetitions=2"}, 1);
  ASSERT_EQ(results.points.size(), 2U);
  EXPECT_EQ(results.points[0].workers, 4U);
  EXPECT_EQ(results.points[1].workers, 1U);
  EXPECT_EQ(results.notes,
            (std::vector<std::string>{
                "means/weak/threads/workers:2 could not be measured: two are one too many",
                "means/weak/simulated/workers:2 could not be measured: two are one too many"}));
}

TEST_F(ScalingStudy, WritesAStudyWithoutAPoint) {
  scaling_study study("means",
                      [](const study_point&) -> study_plan { throw value_error("no data"); });
  study.strong({1});
  const study_results results = run({"--benchmark_repetitions=2"}, 1);
  EXPECT_TRUE(results.points.empty());
  EXPECT_EQ(results.notes.size(), 1U);
}

TEST_F(ScalingStudy, RefusesWrongFlags) {
  for (const char* flag : {"--study_out=", "--benchmark_repetitions=x", "--no_flag"}) {
    std::string program = "test";
    std::string text = flag;
    std::vector<char*> words{program.data(), text.data(), nullptr};
    EXPECT_THROW((void)run_studies(2, words.data()), value_error) << flag;
  }
  scaling_study study("means", means);
  EXPECT_THROW(study.simulated({10}), value_error);
}

}  // namespace
}  // namespace tessera
