// SPDX-License-Identifier: Apache-2.0
/// \file
/// The record of a run has the same figures on each engine, which are equal to the figures of the
/// plan.

#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace ts = tessera;
using nlohmann::json;

/// Label, tasks, done, bytes read, bytes written and requests of an operation.
using figures = std::tuple<std::string, std::int64_t, std::int64_t, std::uint64_t, std::uint64_t,
                           std::uint64_t>;

class RecordsOfEngines : public ::testing::Test {
 protected:
  RecordsOfEngines() {
    ts::store(ts::random::uniform<double>({90, 40}, {.chunks = {20, 40}, .spec = limits_}),
              folder_ / "x", {.compressor = ts::codec::zlib{}});
  }

  /// Stores an anomaly, of which the mean goes through storage, and returns the record's folder.
  std::string run_on(const std::shared_ptr<ts::executor>& engine) {
    const auto x = ts::open<double, 2>(folder_ / "x", limits_);
    const auto anomaly = x - ts::mean(x, ts::axis<0>);
    const std::string reports = folder_ / ("reports-" + engine->name().substr(0, 4));
    const ts::plan plan(
        ts::pass_switches{.fuse_epilogues = false, .memory_tier = false},
        ts::run_with{.executor = engine, .resume = ts::resume_mode::never, .report = reports},
        ts::stored(anomaly, folder_ / "y", {.compressor = ts::codec::none{}}));
    bytes_read_ = plan.bytes_read().count();
    bytes_written_ = plan.bytes_written().count();
    plan.execute();
    return reports + "/1";
  }

  static json history_of(const std::string& folder) {
    return json::parse(std::ifstream(folder + "/history.json"));
  }

  static std::vector<figures> figures_of(const std::string& folder) {
    std::vector<figures> operations;
    const json history = history_of(folder);
    for (const json& operation : history.at("operations")) {
      operations.emplace_back(operation.at("label"), operation.at("tasks"), operation.at("done"),
                              operation.value("bytes_read", std::uint64_t{0}),
                              operation.value("bytes_written", std::uint64_t{0}),
                              operation.value("requests", std::uint64_t{0}));
    }
    return operations;
  }

  static std::set<std::string> files_of(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  ts::test::scratch_directory folder_;
  ts::spec limits_{.work_dir = folder_ / "work"};
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
};

TEST_F(RecordsOfEngines, AgreeWithEachOtherAndWithThePlan) {
  const std::string serial = run_on(ts::executors::serial());
  const std::vector<figures> expected = figures_of(serial);
  ASSERT_EQ(expected.size(), 2U);
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const auto& [label, tasks, done, bytes_read, bytes_written, requests] : expected) {
    EXPECT_EQ(done, tasks) << label;
    read += bytes_read;
    written += bytes_written;
  }
  EXPECT_EQ(read, bytes_read_);
  EXPECT_EQ(written, bytes_written_);
  EXPECT_EQ(files_of(serial).count("plan.svg"), 1U);
  for (const std::shared_ptr<ts::executor>& engine :
       {std::shared_ptr<ts::executor>(ts::executors::threads(3)),
        std::shared_ptr<ts::executor>(ts::executors::processes(2))}) {
    const std::string folder = run_on(engine);
    EXPECT_EQ(figures_of(folder), expected) << engine->name();
    EXPECT_EQ(files_of(folder), files_of(serial)) << engine->name();
    EXPECT_EQ(history_of(folder).at("executor"), engine->name());
    EXPECT_EQ(history_of(folder).at("allowed_memory"), limits_.allowed_memory.count());
  }
}

/// The elements that `filling` takes before it fails.
std::atomic<int> num_left{0};

struct filling {
  double operator()(double x) const {
    if (--num_left < 0) throw ts::store_error("the disk is full");
    return x;
  }
};

TEST_F(RecordsOfEngines, HaveAPictureWithTheOutcome) {
  const auto picture_of_run = [&](int number, int elements) {
    num_left = elements;
    const auto x = ts::map(filling{}, ts::open<double, 2>(folder_ / "x", limits_));
    const ts::run_with settings{.executor = ts::executors::serial(), .report = folder_ / "reports"};
    try {
      ts::store(x, folder_ / "y", settings);
    } catch (const ts::task_error&) {
      EXPECT_EQ(number, 1);
    }
    std::ostringstream text;
    text << std::ifstream(folder_ / ("reports/" + std::to_string(number) + "/plan.svg")).rdbuf();
    return text.str();
  };
  // Two of five chunks of 800 elements are stored.
  const std::string failed = picture_of_run(1, 2000);
  EXPECT_NE(failed.find("; failed</title>"), std::string::npos);
  EXPECT_EQ(failed.find("; resumed</title>"), std::string::npos);
  const std::string resumed = picture_of_run(2, 4000);
  EXPECT_EQ(resumed.find("; failed</title>"), std::string::npos);
  EXPECT_NE(resumed.find("; resumed</title>"), std::string::npos);
}

TEST_F(RecordsOfEngines, OfSimulationsSayThatTheyAre) {
  const std::string folder = run_on(ts::executors::simulated({.workers = 10}));
  const json history = history_of(folder);
  EXPECT_EQ(history.at("is_simulated"), true);
  EXPECT_EQ(files_of(folder).count("timeline.html"), 1U);
  for (const json& operation : history.at("operations")) {
    EXPECT_EQ(operation.at("done"), operation.at("tasks"));
  }
}

}  // namespace
