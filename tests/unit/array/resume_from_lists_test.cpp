// SPDX-License-Identifier: Apache-2.0
/// \file
/// Continued runs that write to a store without files: each request takes a round trip.

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/store/memory_store.hpp"

#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/watched_store.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <set>
#include <string>

namespace tessera {
namespace {

using testing::temporary_directory;
using testing::zarr::watched_store;

/// The first element at which `halving` fails.
std::atomic<double> fails_from{std::numeric_limits<double>::infinity()};

/// A function object without state, so that plans with it are portable.
struct halving {
  double operator()(double x) const {
    if (x >= fails_from) throw store_error("the connection is lost");
    return x / 2;
  }
};

class ResumeFromLists : public ::testing::Test {
 protected:
  static constexpr index_t num_chunks = 40;
  static constexpr index_t length = 4;

  void SetUp() override {
    results_->given_recipe = store_recipe{"watched", "results", ""};
    store(arange(0.0, double{num_chunks * length}, 1.0, {.chunks = {length}}), input_, on_one_);
  }

  void run(const store_options& options) {
    const auto x = open<double, 1>(input_, spec{.work_dir = directory_ / "work"});
    store(map(halving{}, x), results_, "y", options, on_one_);
  }

  /// Runs until the chunk `failing`, and then to the end. Returns the keys of the second run.
  std::set<std::string> run_twice(index_t failing, const store_options& options) {
    fails_from = static_cast<double>(failing * length);
    EXPECT_THROW(run(options), task_error);
    fails_from = std::numeric_limits<double>::infinity();
    results_->num_sizes = 0;
    results_->num_lists = 0;
    std::set<std::string> written;
    results_->before_write = [&](std::string_view key) { written.emplace(key); };
    run(options);
    results_->before_write = [](std::string_view) {};
    return written;
  }

  void expect_result() {
    const auto y = open<double, 1>(results_, "y").compute();
    for (index_t i = 0; i < num_chunks * length; ++i) {
      EXPECT_EQ(y(i), static_cast<double>(i) / 2);
    }
  }

  temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
  run_with on_one_{.executor = executors::serial()};
  std::shared_ptr<watched_store> results_ =
      std::make_shared<watched_store>(std::make_shared<memory_store>());
};

TEST_F(ResumeFromLists, AskForNoChunk) {
  const auto written = run_twice(37, {.chunks = {length}});
  EXPECT_EQ(written.count("y/36"), 0U);
  for (const char* key : {"y/37", "y/38", "y/39"}) EXPECT_EQ(written.count(key), 1U) << key;
  // Documents and marks are asked for, however many chunks there are.
  EXPECT_LT(results_->num_sizes, 10);
  expect_result();
}

TEST_F(ResumeFromLists, AskForNoShard) {
  const auto written = run_twice(37, {.chunks = {length / 2}, .shards = {length}, .format = 3});
  EXPECT_EQ(written.count("y/c/36"), 0U);
  for (const char* key : {"y/c/37", "y/c/38", "y/c/39"}) EXPECT_EQ(written.count(key), 1U) << key;
  EXPECT_LT(results_->num_sizes, 10);
  expect_result();
}

// Two rows and two columns of shards, each of 2 x 3 chunks. The upper shards are there.
TEST_F(ResumeFromLists, CountShardsByTheirOwnGrid) {
  const std::string matrix = directory_ / "matrix.zarr";
  store(reshape(arange(0.0, 7.0 * 9, 1.0), {7, 9}), matrix, {.chunks = {4, 6}}, on_one_);
  const auto run_once = [&] {
    const auto x = open<double, 2>(matrix, spec{.work_dir = directory_ / "work"});
    store(map(halving{}, x), results_, "y", {.chunks = {2, 2}, .shards = {4, 6}, .format = 3},
          on_one_);
  };
  fails_from = 4.0 * 9;
  EXPECT_THROW(run_once(), task_error);
  fails_from = std::numeric_limits<double>::infinity();
  std::set<std::string> written;
  results_->before_write = [&](std::string_view key) { written.emplace(key); };
  run_once();
  results_->before_write = [](std::string_view) {};
  EXPECT_EQ(written.count("y/c/0/0") + written.count("y/c/0/1"), 0U);
  EXPECT_EQ(written.count("y/c/1/0") + written.count("y/c/1/1"), 2U);
  const auto y = open<double, 2>(results_, "y").compute();
  for (index_t i = 0; i < 7; ++i) {
    for (index_t j = 0; j < 9; ++j) EXPECT_EQ(y(i, j), static_cast<double>(9 * i + j) / 2);
  }
}

}  // namespace
}  // namespace tessera
