// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/from_local.hpp"

#include "tessera/executor/mpi.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/core/message_of.hpp"
#include "unit/mpi/shared_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ::testing::HasSubstr;
using ts::index_t;

/// Returns the bytes that this process has read of files so far.
std::uint64_t bytes_read_here() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::uint64_t read = 0;
  counts >> name >> read;
  EXPECT_EQ(name, "rchar:");
  return read;
}

/// Rows of a matrix with element 10 i + j at (i, j), on the ranks in reverse order.
class FromLocal : public ::testing::Test {
 protected:
  FromLocal() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    spec_.work_dir = directory_.path().string();
    settings_.executor = ts::executors::mpi();
  }

  /// Returns the elements of rows [first, last), with `halo` elements around that are not of them.
  [[nodiscard]] static std::vector<double> rows(index_t first, index_t last, index_t halo = 0) {
    const index_t width = num_columns + 2 * halo;
    std::vector<double> elements(static_cast<std::size_t>((last - first + 2 * halo) * width), -1e9);
    for (index_t i = first; i < last; ++i) {
      for (index_t j = 0; j < num_columns; ++j) {
        elements[static_cast<std::size_t>((i - first + halo) * width + j + halo)] = value(i, j);
      }
    }
    return elements;
  }

  [[nodiscard]] static double value(index_t i, index_t j) {
    return static_cast<double>(10 * i + j);
  }

  /// Returns the array of which each rank has three rows, the last of them fewer.
  [[nodiscard]] ts::array<double, 2> regular() {
    const index_t first = 3 * (size_ - 1 - rank_);
    elements_ = rows(first, std::min(first + 3, num_rows()));
    return ts::from_local<double, 2>(MPI_COMM_WORLD, elements_, {num_rows(), num_columns},
                                     {first, 0}, {.spec = spec_});
  }

  [[nodiscard]] index_t num_rows() const { return 3 * size_ - 1; }

  static constexpr index_t num_columns = 4;
  int rank_ = 0;
  int size_ = 1;
  ts::testing::shared_directory directory_;
  ts::spec spec_;
  ts::run_with settings_;
  std::vector<double> elements_;
};

TEST_F(FromLocal, HasThePartsAsChunks) {
  const auto x = regular();
  EXPECT_EQ(x.layout().shape, (ts::index_vector{num_rows(), num_columns}));
  EXPECT_EQ(x.layout().chunks, (ts::index_vector{std::min<index_t>(3, num_rows()), num_columns}));
}

TEST_F(FromLocal, ReadsItsElementsOnAllRanks) {
  const auto elements = regular().compute(settings_);
  for (index_t i = 0; i < num_rows(); ++i) {
    for (index_t j = 0; j < num_columns; ++j) EXPECT_EQ(elements(i, j), value(i, j));
  }
}

TEST_F(FromLocal, ComputesElementwiseInOneOperation) {
  const auto x = regular();
  const ts::array<double, 2> y = x * 2.0 + 1.0;
  EXPECT_EQ(ts::plan(y, settings_).num_operations(), 1U);
  EXPECT_EQ(y.compute(settings_)(1, 3), 2 * value(1, 3) + 1);
}

TEST_F(FromLocal, FoldsPartsWhereTheyAre) {
  const auto x = regular();
  const auto planned = ts::plan(ts::mean(x), ts::max(x), settings_);
  // States of parts, one task for each, and their fold: no field is written.
  EXPECT_LE(planned.num_operations(), 2U);
  EXPECT_LT(planned.bounded().bytes_written().count(), 1000U);
  const auto [mean, max] = planned.compute();
  EXPECT_EQ(mean(), 10 * static_cast<double>(num_rows() - 1) / 2 + 1.5);
  EXPECT_EQ(max(), value(num_rows() - 1, num_columns - 1));
}

// In one task for each part, which reads it once.
TEST_F(FromLocal, FoldsPartsOverUnlikeAxesTogether) {
  const auto x = regular();
  const ts::plan plan(ts::sum(x), ts::max(x, ts::axis<0>), ts::sum(x, ts::axis<1>), settings_);
  EXPECT_EQ(plan.bounded().inside().operations[0].num_tasks, size_);
  const auto [sum, largest, sums] = plan.compute();
  double total = 0;
  for (index_t i = 0; i < num_rows(); ++i) {
    double row = 0;
    for (index_t j = 0; j < num_columns; ++j) row += value(i, j);
    EXPECT_EQ(sums(i), row);
    total += row;
  }
  EXPECT_EQ(sum(), total);
  for (index_t j = 0; j < num_columns; ++j) EXPECT_EQ(largest(j), value(num_rows() - 1, j));
}

// The anomaly is stored in chunks across parts, so it reads a copy, in chunks that suit. Tasks of
// 100 rows meet two parts of 150, so they read at most twice the array. Folds read the parts in
// place, and their states are sent.
TEST_F(FromLocal, FoldsPartsWhereTheyAreBesideWhatReadsACopy) {
  constexpr index_t height = 600;
  constexpr index_t width = 560;
  const index_t most = (height + size_ - 1) / size_;
  const index_t first = std::min(most * rank_, height);
  const index_t last = std::min(first + most, height);
  std::vector<double> elements;
  for (index_t i = first; i < last; ++i) {
    for (index_t j = 0; j < width; ++j) elements.push_back(static_cast<double>(i % 16 + j));
  }
  spec_.intermediate_compressor = "none";
  const auto x = ts::from_local<double, 2>(MPI_COMM_WORLD, elements, {height, width}, {first, 0},
                                           {.spec = spec_});
  const ts::plan plan(ts::mean(x),
                      ts::stored(x - ts::mean(x, ts::axis<0>), (directory_.path() / "y").string(),
                                 {.chunks = {100, 140}}),
                      settings_);
  // The program reads itself once, for its identity.
  ts::plan(ts::stored(regular(), (directory_.path() / "first").string()), settings_).execute();
  const std::uint64_t before = bytes_read_here();
  const auto [mean, y] = plan.compute();
  const std::uint64_t read = bytes_read_here() - before;
  std::uint64_t read_everywhere = 0;
  MPI_Allreduce(&read, &read_everywhere, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  constexpr std::uint64_t size = 8 * height * width;
  EXPECT_LT(read_everywhere, 2 * size + 600'000);
  double sum = 0;
  for (index_t i = 0; i < height; ++i) sum += static_cast<double>(i % 16);
  EXPECT_NEAR(mean(), sum / height + 559 / 2.0, 1e-9);
  const auto stored = ts::open<double, 2>((directory_.path() / "y").string()).compute();
  for (index_t i = 0; i < height; ++i) {
    const double expected = static_cast<double>(i % 16) - sum / height;
    for (index_t j = 0; j < width; ++j) ASSERT_NEAR(stored(i, j), expected, 1e-9) << i << ' ' << j;
  }
}

TEST_F(FromLocal, FoldsAlongAnAxisThatIsNotSplit) {
  const auto x = regular();
  const auto sums = ts::sum(x, ts::axis<1>);
  EXPECT_EQ(ts::plan(sums, settings_).num_operations(), 1U);
  const auto computed = sums.compute(settings_);
  for (index_t i = 0; i < num_rows(); ++i) {
    EXPECT_EQ(computed(i), static_cast<double>(40 * i + 6));
  }
}

TEST_F(FromLocal, ReadsAcrossPartsFromACopy) {
  const auto x = regular();
  const auto products = ts::matmul(ts::matrix_transpose(x), x).compute(settings_);
  double expected = 0;
  for (index_t i = 0; i < num_rows(); ++i) expected += value(i, 1) * value(i, 2);
  EXPECT_EQ(products(1, 2), expected);
}

TEST_F(FromLocal, ComputesWithAnArrayThatLiesElsewhere) {
  // The same elements once more, in other hands.
  const auto x = regular();
  const index_t first = 3 * rank_;
  const std::vector<double> others = rows(first, std::min(first + 3, num_rows()));
  const auto y = ts::from_local<double, 2>(MPI_COMM_WORLD, others, {num_rows(), num_columns},
                                           {first, 0}, {.spec = spec_});
  const ts::array<double, 2> difference = x - y;
  EXPECT_EQ(ts::max(ts::abs(difference)).compute(settings_), 0.0);
}

TEST_F(FromLocal, LeavesOutTheHalo) {
  const index_t first = 3 * rank_;
  const index_t last = std::min(first + 3, num_rows());
  const std::vector<double> elements = rows(first, last, 1);
  const index_t width = num_columns + 2;
  const auto x = ts::from_local<double, 2>(
      MPI_COMM_WORLD, std::span(elements).subspan(static_cast<std::size_t>(width + 1)),
      {num_rows(), num_columns}, {first, 0},
      {.part = std::array{last - first, num_columns},
       .strides = std::array{width, index_t{1}},
       .spec = spec_});
  EXPECT_EQ(ts::min(x).compute(settings_), 0.0);
  EXPECT_EQ(ts::sum(x).compute(settings_),
            static_cast<double>(num_rows() * num_columns) *
                (10 * static_cast<double>(num_rows() - 1) / 2 + 1.5));
}

TEST_F(FromLocal, SendsPartsAroundThatAreNoGrid) {
  // The first rank has one row, the last all that is left.
  const index_t first = rank_;
  const index_t last = rank_ + 1 == size_ ? num_rows() : rank_ + 1;
  const std::vector<double> elements = rows(first, last);
  const auto x = ts::from_local<double, 2>(MPI_COMM_WORLD, elements, {num_rows(), num_columns},
                                           {first, 0}, {.spec = spec_});
  const auto computed = x.compute(settings_);
  for (index_t i = 0; i < num_rows(); ++i) {
    for (index_t j = 0; j < num_columns; ++j) EXPECT_EQ(computed(i, j), value(i, j));
  }
}

TEST_F(FromLocal, RefusesPartsThatDoNotFitOnAllRanks) {
  const bool is_last = rank_ == size_ - 1;
  const std::vector<double> elements(is_last ? 3 : 4);
  EXPECT_THAT(ts::testing::message_of<ts::shape_error>([&] {
                (void)ts::from_local<double, 1>(MPI_COMM_WORLD, elements, {4 * size_}, {4 * rank_});
              }),
              HasSubstr("rank " + std::to_string(size_ - 1) + " has 3 elements for "));
}

TEST_F(FromLocal, RefusesAnExecutorWithoutTheRanks) {
  if (size_ == 1) return;
  const auto x = regular();
  settings_.executor = ts::executors::serial();
  const index_t first = 3 * (size_ - 1 - rank_);
  const auto y = ts::from_local<double, 2>(MPI_COMM_WORLD, elements_, {num_rows(), num_columns},
                                           {first, 0}, {.spec = spec_});
  EXPECT_THROW((void)y.compute(settings_), ts::value_error);
}

}  // namespace
