// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/time_series.hpp"

#include "tessera/array/append.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/temporary_directory.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Returns the bytes of each file below `folder`.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder).string()] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

class TimeSeries : public ::testing::Test {
 protected:
  /// Returns the field u(i, j) = t + 10 i + j.
  [[nodiscard]] array<double, 2> field(double t, index_t rows = 4) const {
    std::vector<double> values;
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < 6; ++j) values.push_back(t + static_cast<double>(10 * i + j));
    }
    return from_memory<double, 2>(std::move(values), {rows, 6}, {.chunks = {2, 3}, .spec = spec_});
  }
  [[nodiscard]] time_series opened(const std::string& name = "run.zarr") const {
    return time_series(folder_ / name, {.executor = executors::serial()});
  }
  void append(time_series& out, double t) const {
    const auto u = field(t);
    out.append(t, variable("u", u, {"y", "x"}), variable("mean", mean(u)));
  }
  [[nodiscard]] index_vector shape_of(const std::string& name) const {
    return zarr_array::open(folder_ / ("run.zarr/" + name)).shape();
  }

  testing::temporary_directory folder_;
  spec spec_{.work_dir = folder_ / "work"};
};

TEST_F(TimeSeries, StoresStepsWithTheirTimes) {
  time_series out = opened();
  append(out, 0.5);
  append(out, 2);
  EXPECT_EQ(out.times(), (std::vector{0.5, 2.0}));
  const auto u = open<double, 3>(folder_ / "run.zarr/u").compute();
  EXPECT_EQ(u.shape(), (std::array<index_t, 3>{2, 4, 6}));
  EXPECT_EQ(u(1, 3, 5), 2 + 35);
  // The mean of 10 i + j over i < 4, j < 6.
  EXPECT_EQ((open<double, 1>(folder_ / "run.zarr/mean").compute()(1)), 2 + 15 + 2.5);
  const zarr_array stored = zarr_array::open(folder_ / "run.zarr/u");
  EXPECT_EQ(stored.chunks(), (index_vector{1, 2, 3}));
  EXPECT_EQ(stored.dimension_names(), (std::vector<std::string>{"time", "y", "x"}));
}

TEST_F(TimeSeries, GoesOnWhenItIsOpenedAgain) {
  {
    time_series out = opened();
    append(out, 0);
  }
  time_series out = opened();
  EXPECT_EQ(out.times(), std::vector{0.0});
  append(out, 1);
  EXPECT_EQ(shape_of("u"), (index_vector{2, 4, 6}));
}

TEST_F(TimeSeries, StoresTheSameBitsAfterARestart) {
  time_series disturbed = opened();
  for (const double t : {0.0, 1.0, 2.0, 3.0}) append(disturbed, t == 2 ? 2.5 : t);
  disturbed.restart_from(1);
  EXPECT_EQ(disturbed.times(), (std::vector{0.0, 1.0}));
  for (const double t : {2.0, 3.0}) append(disturbed, t);
  time_series undisturbed = opened("undisturbed.zarr");
  for (const double t : {0.0, 1.0, 2.0, 3.0}) append(undisturbed, t);
  EXPECT_EQ(files_below(folder_.path() / "run.zarr"),
            files_below(folder_.path() / "undisturbed.zarr"));
}

TEST_F(TimeSeries, RestartsBeforeTheFirstStepAndBehindTheLast) {
  time_series out = opened();
  append(out, 0);
  append(out, 1);
  out.restart_from(7);
  EXPECT_EQ(out.size(), 2U);
  out.restart_from(-1);
  EXPECT_EQ(out.size(), 0U);
  EXPECT_EQ(shape_of("u"), (index_vector{0, 4, 6}));
  EXPECT_EQ(shape_of("mean"), (index_vector{0}));
}

// A program that was killed before the time of its last step.
TEST_F(TimeSeries, DropsAStepThatIsNotComplete) {
  {
    time_series out = opened();
    append(out, 0);
  }
  tessera::append(expand_dims(field(8), axis<0>), folder_ / "run.zarr/u", axis<0>);
  EXPECT_EQ(shape_of("u"), (index_vector{2, 4, 6}));
  time_series out = opened();
  EXPECT_EQ(out.size(), 1U);
  EXPECT_EQ(shape_of("u"), (index_vector{1, 4, 6}));
  append(out, 1);
  EXPECT_EQ((open<double, 3>(folder_ / "run.zarr/u").compute()(1, 0, 0)), 1);
}

TEST_F(TimeSeries, KnowsItsMemoryBeforeTheFirstStep) {
  time_series out = opened();
  const auto initial = field(0);
  const bytes before =
      out.memory(variable("u", initial, {"y", "x"}), variable("mean", mean(initial)));
  EXPECT_EQ(out.size(), 0U);
  const run_with settings{.executor = executors::serial()};
  // The process itself grows a little with its first steps.
  const bytes growth{1 << 20};
  for (int t = 0; t < 5; ++t) {
    const auto u = field(t);
    const plan step(appended(expand_dims(u, axis<0>), folder_ / "run.zarr/u", axis<0>),
                    appended(expand_dims(mean(u), axis<0>), folder_ / "run.zarr/mean", axis<0>),
                    settings);
    EXPECT_LE(step.projected_host_memory(), before + growth) << t;
    EXPECT_GT(step.projected_host_memory() + bytes{1 << 16}, before) << t;
    append(out, t);
  }
  spec_.allowed_memory = bytes{100};
  const auto u = field(0);
  EXPECT_THROW((void)opened("small.zarr").memory(variable("u", u)), memory_error);
}

TEST_F(TimeSeries, RefusesTimesThatDoNotAscend) {
  time_series out = opened();
  append(out, 1);
  for (const double t : {1.0, 0.5, std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(append(out, t), value_error) << t;
  }
  EXPECT_EQ(out.size(), 1U);
  try {
    append(out, 0.5);
  } catch (const value_error& error) {
    EXPECT_STREQ(error.what(),
                 "time_series: the step at 0.5 is not after the last one, at 1; restart_from(t) "
                 "drops the steps after t");
  }
}

TEST_F(TimeSeries, RefusesVariablesThatComeAndGo) {
  time_series out = opened();
  append(out, 0);
  const auto u = field(1);
  EXPECT_THROW(out.append(1, variable("u", u)), value_error);
  EXPECT_THROW(out.append(1, variable("u", u), variable("mean", mean(u)), variable("w", u)),
               value_error);
  EXPECT_THROW(out.append(1, variable("u", field(1, 5)), variable("mean", mean(u))), shape_error);
  append(out, 1);
  EXPECT_EQ(out.size(), 2U);
}

TEST_F(TimeSeries, RefusesNamesThatAreNone) {
  time_series out = opened();
  for (const char* name : {"", "time", "a/b"}) {
    EXPECT_THROW(out.append(0, variable(name, field(0))), value_error) << name;
  }
}

TEST_F(TimeSeries, RefusesAnArrayInItsPlace) {
  store(field(0), folder_ / "run.zarr");
  EXPECT_THROW(opened(), zarr_error);
}

}  // namespace
}  // namespace tessera
