// SPDX-License-Identifier: Apache-2.0
// A run that ends while a maker and its reader are both half done, and its resumption.
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/task/resume.hpp"

#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace tessera {
namespace {

constexpr index_t extent = 24;
constexpr index_t chunk = 4;

std::atomic<double> fails_from{std::numeric_limits<double>::infinity()};
/// The calls of the producer and of the reader for each element.
std::array<std::array<std::atomic<int>, extent>, 2> num_calls;

std::ptrdiff_t num_called_once(std::size_t which) {
  return std::count(num_calls.at(which).begin(), num_calls.at(which).end(), 1);
}

struct making {
  double operator()(double x) const {
    ++num_calls[0].at(static_cast<std::size_t>(x));
    return x + 0.5;
  }
};

struct reading {
  double operator()(double x) const {
    if (x >= fails_from) throw store_error("the disk is full");
    ++num_calls[1].at(static_cast<std::size_t>(x));
    return 2 * x;
  }
};

class ResumePipelined : public ::testing::Test {
 protected:
  void SetUp() override {
    for (auto& calls : num_calls) {
      for (auto& count : calls) count = 0;
    }
    store(arange(0.0, double{extent}, 1.0, {.chunks = {chunk}, .spec = limits()}), input_);
  }

  [[nodiscard]] spec limits() const { return {.work_dir = directory_ / "work"}; }

  void run(bool keeps_in_memory) const {
    const array<double, 1> intermediate = map(making{}, open<double, 1>(input_, limits()));
    const pass_switches passes{.fuse_producers = false, .memory_tier = keeps_in_memory};
    const run_with serial{.executor = executors::serial(), .resume = resume_mode::automatic};
    plan(passes, serial, stored(map(reading{}, intermediate), output_)).execute();
  }

  /// Readers come first: this fails while the maker has chunks left.
  void run_and_fail(bool keeps_in_memory) const {
    fails_from = 2 * chunk;
    EXPECT_THROW(run(keeps_in_memory), task_error);
    fails_from = std::numeric_limits<double>::infinity();
    EXPECT_EQ(num_called_once(1), 2 * chunk);
    EXPECT_GE(num_called_once(0), 3 * chunk);
    EXPECT_LT(num_called_once(0), extent);
  }

  void expect_result() const {
    const auto result = open<double, 1>(output_).compute();
    for (index_t i = 0; i < extent; ++i) EXPECT_EQ(result(i), 2 * static_cast<double>(i) + 1);
    EXPECT_EQ(num_called_once(1), extent);
  }

  testing::temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
  std::string output_ = directory_ / "output.zarr";
};

TEST_F(ResumePipelined, RepeatsNothingThatIsInStorage) {
  run_and_fail(false);
  run(false);
  EXPECT_EQ(num_called_once(0), extent);
  expect_result();
}

TEST_F(ResumePipelined, MakesAgainWhatWasInMemoryAlone) {
  run_and_fail(true);
  run(true);
  EXPECT_TRUE(
      std::ranges::all_of(num_calls[0], [](int calls) { return calls == 1 || calls == 2; }));
  expect_result();
}

}  // namespace
}  // namespace tessera
