// SPDX-License-Identifier: Apache-2.0

/// \file
/// Moving windows in several tasks: values, bits, chunks that are read, plan files, and runs that
/// go on.

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::axis;
using ts::index_t;

/// Returns costs by which tasks are worth their start, on `workers`.
ts::spec spec_of(std::size_t workers) {
  ts::spec limits{.allowed_memory = 100_MB};
  limits.costs.workers = workers;
  limits.costs.read_bandwidth = limits.costs.write_bandwidth = 100_kB;
  return limits;
}

/// Numbers between -1 and 1, of which sums are rounded.
std::vector<double> rough_numbers(std::size_t count) {
  std::vector<double> numbers;
  std::uint32_t state = 7;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    numbers.push_back(static_cast<double>(state) / 2147483648.0 - 1);
  }
  return numbers;
}

class CutWindows : public ::testing::Test {
 protected:
  static constexpr index_t num_days = 200;
  static constexpr index_t num_places = 6;

  CutWindows() {
    const auto numbers = rough_numbers(num_days * num_places);
    ts::store(ts::asarray(ts::ndarray<double, 2>({num_days, num_places}, numbers)), store_, "x",
              {.chunks = {7, num_places}});
  }

  [[nodiscard]] auto open(std::size_t workers) const {
    return ts::open<double, 2>(store_, "x", spec_of(workers));
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

template <std::size_t N>
bool have_equal_bits(const ts::ndarray<double, N>& a, const ts::ndarray<double, N>& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), a.span().size() * sizeof(double)) == 0;
}

// The sum of the elements i to i + n - 1 of 0, 1, 2, ... is n i + n (n - 1) / 2.
TEST_F(CutWindows, HaveTheirSums) {
  constexpr index_t size = 1000;
  ts::store(ts::astype<std::int64_t>(ts::arange(1000.0)), store_, "line", {.chunks = {10}});
  for (const index_t length : {1, 2, 7, 10, 30, 64, 333, 999, 1000}) {
    for (const std::size_t workers : {1, 4, 1000}) {
      const auto line = ts::open<std::int64_t, 1>(store_, "line", spec_of(workers));
      const auto sums = ts::rolling_sum(line, length).compute();
      ASSERT_EQ(sums.shape()[0], size - length + 1);
      for (index_t i = 0; i + length <= size; ++i) {
        ASSERT_EQ(sums(i), length * i + length * (length - 1) / 2) << length << ", " << workers;
      }
    }
  }
}

TEST_F(CutWindows, HaveTheBitsOfOneTask) {
  const auto results_of = [&](std::size_t workers, index_t length) {
    const auto x = open(workers);
    const auto mean = ts::rolling_mean(x, length, axis<0>);
    const auto squares = ts::rolling_mean(x * x, length, axis<0>);
    return std::tuple((squares - mean * mean).compute(),
                      ts::rolling_stddev(x * x, length, axis<0>).compute(),
                      (ts::rolling_max(x, length, axis<0>) * 2.0 + 1.0).compute(),
                      ts::rolling_mean(x, 3, axis<1>).compute());
  };
  EXPECT_GT(ts::plan(ts::rolling_mean(open(64), 31, axis<0>)).num_tasks(), 8);
  for (const index_t length : {2, 5, 7, 14, 31, 100}) {
    const auto whole = results_of(1, length);
    for (const std::size_t workers : {2, 5, 64}) {
      const auto cut = results_of(workers, length);
      EXPECT_TRUE(have_equal_bits(std::get<0>(whole), std::get<0>(cut))) << length;
      EXPECT_TRUE(have_equal_bits(std::get<1>(whole), std::get<1>(cut))) << length;
      EXPECT_TRUE(have_equal_bits(std::get<2>(whole), std::get<2>(cut))) << length;
      EXPECT_TRUE(have_equal_bits(std::get<3>(whole), std::get<3>(cut))) << length;
    }
  }
}

// 195 results in chunks of 7 rows are 28 chunks. Each task but the last reads one or two chunks
// that the next one reads, too.
TEST_F(CutWindows, ReadFewChunksTwice) {
  const auto run_on = [&](std::size_t workers) {
    const ts::plan plan(ts::rolling_mean(open(workers), 6, axis<0>));
    const long before = store_->num_reads();
    static_cast<void>(plan.compute());
    return std::pair(plan.num_tasks(), store_->num_reads() - before);
  };
  const auto [whole, once] = run_on(1);
  EXPECT_EQ(whole, 1);
  EXPECT_EQ(once, 29);
  const auto [tasks, reads] = run_on(7);
  EXPECT_GE(tasks, 7);
  EXPECT_LE(tasks, 28);
  EXPECT_LE(reads, 29 + 2 * (tasks - 1));
}

TEST_F(CutWindows, KeepTheirBlocksInPlanFiles) {
  const ts::testing::temporary_directory folder;
  const ts::spec limits = spec_of(8);
  ts::store(ts::arange(100.0, {.chunks = {10}}), folder / "x");
  const auto sums = ts::rolling_sum(ts::open<double, 1>(folder / "x", limits), 5);
  const ts::plan plan(ts::stored(sums, folder / "sums"));
  EXPECT_GT(plan.num_tasks(), 4);
  plan.bounded().save(folder / "plan");
  const ts::bounded_plan loaded = ts::bounded_plan::load(folder / "plan");
  EXPECT_EQ(loaded.num_tasks(), plan.num_tasks());
  ts::run(loaded, {.executor = ts::executors::serial()});
  const auto values = ts::open<double, 1>(folder / "sums").compute();
  for (index_t i = 0; i < 96; ++i) EXPECT_EQ(values(i), static_cast<double>(5 * i + 10));
}

std::atomic<double> fails_from{1e300};
std::atomic<double> least_computed{1e300};

/// Fails from an element on, and notes the least element that it was called with.
struct failing {
  double operator()(double x) const {
    if (x >= fails_from) throw ts::store_error("the disk is full");
    least_computed = std::min<double>(least_computed, x);
    return x;
  }
};

// The blocks that were complete are not computed again.
TEST_F(CutWindows, GoOnAfterARunThatFailed) {
  const ts::testing::temporary_directory folder;
  ts::spec limits = spec_of(8);
  limits.work_dir = folder / "work";
  ts::store(ts::arange(100.0, {.chunks = {10}}), folder / "x");
  const auto run = [&] {
    const auto x = ts::map(failing{}, ts::open<double, 1>(folder / "x", limits));
    ts::store(
        ts::rolling_sum(x, 5), folder / "sums",
        ts::run_with{.executor = ts::executors::serial(), .resume = ts::resume_mode::automatic});
  };
  fails_from = 60;
  EXPECT_THROW(run(), ts::task_error);
  EXPECT_EQ(least_computed, 0);
  fails_from = least_computed = 1e300;
  run();
  EXPECT_GE(least_computed, 20);
  EXPECT_LE(least_computed, 60);
  const auto values = ts::open<double, 1>(folder / "sums").compute();
  for (index_t i = 0; i < 96; ++i) EXPECT_EQ(values(i), static_cast<double>(5 * i + 10));
}

TEST_F(CutWindows, AreToldInTheExplanation) {
  const ts::plan plan(ts::rolling_mean(open(8), 31, axis<0>));
  const std::string text = plan.explain().to_string();
  EXPECT_NE(text.find("which share 30 elements with the next"), std::string::npos) << text;
}

}  // namespace
