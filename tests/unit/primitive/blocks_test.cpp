// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of whole blocks, by way of those that make something of lines.

#include "tessera/primitive/blocks.hpp"

#include "tessera/kernel/detail/parameters_fit.hpp"
#include "tessera/kernel/lines.hpp"
#include "tessera/kernel/taking.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;

using testing::temporary_directory;

constexpr index_t rows = 600;
constexpr index_t columns = 400;

/// Element (i, j) of the input: each column holds the numbers below `rows`, in another order.
double element(index_t i, index_t j) { return static_cast<double>((7 * i + 3 * j) % rows); }

class Blocks : public ::testing::Test {
 protected:
  void SetUp() override {
    ndarray<double, 2> values(std::array{rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    // Chunks cut the columns, so that lines along them are in 30 of them.
    store(values, input_, {.chunks = {20, columns}});
  }

  [[nodiscard]] spec limits(bytes allowed = bytes{100'000'000}) const {
    return {.work_dir = directory_ / "work", .allowed_memory = allowed};
  }

  /// Expects columns with the numbers from 0 on.
  static void expect_sorted(const ndarray<double, 2>& sorted) {
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) ASSERT_EQ(sorted(i, j), i) << i << ", " << j;
    }
  }

  temporary_directory directory_;
  std::string input_ = directory_ / "input.zarr";
  std::string output_ = directory_ / "output.zarr";
};

TEST_F(Blocks, TakeWholeLinesAtOnce) {
  const auto x = open<double, 2>(input_, limits());
  const auto plan = tessera::plan(sort(x, axis<0>));
  EXPECT_EQ(plan.num_tasks(), 1);
  EXPECT_THAT(plan.bounded().to_string(), HasSubstr("sort(input.zarr)"));
  expect_sorted(sort(x, axis<0>).compute());
}

// Parts of an array in memory cost nothing more.
TEST_F(Blocks, AreCutWhereThatIsFree) {
  ndarray<double, 2> values(std::array<index_t, 2>{4096, 512});
  for (index_t i = 0; i < 4096; ++i) {
    for (index_t j = 0; j < 512; ++j) values(i, j) = static_cast<double>((7 * i + j) % 4096);
  }
  const auto x = asarray(std::move(values), {.chunks = {4096, 512}});
  EXPECT_GE(plan(sort(x, axis<0>)).num_tasks(), 16);
  const auto sorted = sort(x, axis<0>).compute();
  for (index_t i = 0; i < 4096; ++i) ASSERT_EQ(sorted(i, 511), i);
}

// All lines together are 1.9 MB, twice that with what is made of them.
TEST_F(Blocks, AreCutUntilATaskFits) {
  const auto x = open<double, 2>(input_, limits(bytes{1'000'000}));
  const auto stored = plan(tessera::stored(sort(x, axis<0>), output_));
  EXPECT_LE(stored.projected_memory(), bytes{1'000'000});
  EXPECT_GT(stored.num_tasks(), 8);
  stored.compute();
  const auto result = open<double, 2>(output_);
  EXPECT_EQ(result.chunks(), (std::array<index_t, 2>{20, columns}));
  expect_sorted(result.compute());
}

// Without copies in other chunks, each of 20 tasks would read all of the input.
TEST_F(Blocks, ReadACopyWhereChunksWouldBeReadAgainAndAgain) {
  const auto x = open<double, 2>(input_, limits(bytes{600'000}));
  const auto plan = tessera::plan(median(x, axis<0>));
  EXPECT_GE(plan.num_tasks(), 20);
  EXPECT_GE(plan.num_operations(), 2U);
  constexpr std::size_t size = rows * columns * sizeof(double);
  EXPECT_LE(plan.bytes_read(), bytes{10 * size});
  const auto medians = median(x, axis<0>).compute();
  for (index_t j = 0; j < columns; ++j) ASSERT_EQ(medians(j), (rows - 1) / 2.0);
}

TEST_F(Blocks, ThatCannotBeCutAreRefusedWithWhatTheyTake) {
  const auto x = open<double, 2>(input_, limits(bytes{20'000}));
  try {
    static_cast<void>(plan(sort(x(whole, slice(1)), axis<0>)));
    ADD_FAILURE() << "was not refused";
  } catch (const memory_error& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("(600, 1) elements at once, and cannot take fewer"));
    EXPECT_THAT(refusal.what(), HasSubstr("allowed memory of at least"));
  }
}

// What is computed element by element is computed where a block is taken: once, and stored nowhere.
TEST_F(Blocks, ComputeWhatTheyTake) {
  const auto x = open<double, 2>(input_, limits());
  const auto plan = tessera::plan(stored(sort(2.0 * x + 1.0, axis<0>), output_));
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_EQ(plan.bytes_read(), bytes{rows * columns * sizeof(double)});
  plan.compute();
  const auto sorted = open<double, 2>(output_).compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) ASSERT_EQ(sorted(i, j), 2.0 * static_cast<double>(i) + 1);
  }
}

TEST_F(Blocks, ComputeWhatTheyTakeOfSeveralArrays) {
  const auto x = open<double, 2>(input_, limits());
  const auto offsets = arange<double>(columns);
  const auto plan = tessera::plan(median(x + offsets, axis<0>) - 1.0);
  EXPECT_EQ(plan.num_operations(), 1U);
  const auto found = plan.compute();
  for (index_t j = 0; j < columns; ++j) {
    ASSERT_EQ(found(j), (rows - 1) / 2.0 + static_cast<double>(j) - 1);
  }
}

// Cut blocks would be read of copies, of two arrays in the place of one, each made in two steps: 8
// times the size, and more for chunks that are read twice.
TEST_F(Blocks, LeaveWhatIsMadeOfMoreWhereBlocksAreCut) {
  const auto little = limits(bytes{700'000});
  const auto x = open<double, 2>(input_, little);
  const std::string other = directory_ / "other.zarr";
  store(open<double, 2>(input_, limits()) * 3.0, other, {.chunks = {20, columns}});
  const auto plan = tessera::plan(median(x + open<double, 2>(other, little), axis<0>));
  constexpr std::size_t size = rows * columns * sizeof(double);
  EXPECT_LE(plan.bytes_read(), bytes{7 * size});
  const auto found = plan.compute();
  for (index_t j = 0; j < columns; ++j) ASSERT_EQ(found(j), 4 * (rows - 1) / 2.0);
}

TEST_F(Blocks, RunInOtherProcesses) {
  const auto x = open<double, 2>(input_, limits());
  const run_with two{.executor = executors::processes(2)};
  store(sort(x, axis<0>, descending), output_, {}, two);
  const auto result = open<double, 2>(output_).compute();
  EXPECT_EQ(result(0, 7), rows - 1);
  EXPECT_EQ(result(rows - 1, 3), 0);
}

TEST_F(Blocks, AreSavedAndLoaded) {
  const auto x = open<double, 2>(input_, limits());
  const std::string file = directory_ / "plan";
  const auto plan = tessera::plan(stored(quantile(x, {0, 0.5, 1}, axis<0>), output_));
  plan.save(file);
  const bounded_plan loaded = bounded_plan::load(file);
  EXPECT_EQ(loaded.to_string(), plan.bounded().to_string());
  EXPECT_EQ(loaded.identity(), plan.bounded().identity());
  run(loaded, {.executor = executors::serial()});
  const auto found = open<double, 2>(output_).compute();
  EXPECT_EQ(found(0, 5), 0);
  EXPECT_EQ(found(1, 5), (rows - 1) / 2.0);
  EXPECT_EQ(found(2, 5), rows - 1);
}

// Kernels trust the extents of their blocks: what comes from a file is looked at.
TEST(BlockKernels, TakeNoBlocksOfOtherShapes) {
  const block_kernel& sort = line::sort(dtype::float32);
  const kernel_parameters up = line::sort_parameters(false);
  EXPECT_TRUE(sort.takes({{{3, 5}}, {{3, 5}}, up.get()}));
  EXPECT_FALSE(sort.takes({{{3, 5}}, {{3, 6}}, up.get()}));
  EXPECT_FALSE(sort.takes({{{3, 5}}, {{3}}, up.get()}));
  EXPECT_FALSE(sort.takes({{{}}, {{}}, up.get()}));
  const block_kernel& quantile = line::quantile(dtype::int8);
  const kernel_parameters two = line::quantile_parameters({.q = {0, 1}, .has_axis = true});
  EXPECT_TRUE(quantile.takes({{{3, 5}}, {{3, 2}}, two.get()}));
  EXPECT_FALSE(quantile.takes({{{3, 5}}, {{3, 1}}, two.get()}));
  EXPECT_FALSE(quantile.takes({{{3, 5}}, {{4, 2}}, two.get()}));
  EXPECT_FALSE(quantile.takes({{{5}}, {{5, 2}}, two.get()}));
}

// Of what leads to elements, a file may say that these are larger, or more, than they are.
TEST(BlockKernels, TakeNoParametersOfOtherTypesOrExtents) {
  const auto fits = [](dtype type, dtype index, index_t extent) {
    const kernel_parameters taken = taking_parameters(
        {.function = "take", .shape = {extent}, .num_listed = 1, .type = type, .indices = {index}});
    const std::array indices{dtype::int64};
    return detail::parameters_fit(taking_kernel(dtype::float64, indices),
                                  {{{3, 10}, {3}}, {{3}}, taken.get()});
  };
  EXPECT_TRUE(fits(dtype::float64, dtype::int64, 10));
  EXPECT_FALSE(fits(dtype::complex128, dtype::int64, 10));
  EXPECT_FALSE(fits(dtype::float64, dtype::int8, 10));
  EXPECT_FALSE(fits(dtype::float64, dtype::int64, 11));
}

TEST(BlockKernels, RestoreTheirParameters) {
  const block_kernel& quantile = line::quantile(dtype::float64);
  const kernel_parameters made = line::quantile_parameters(
      {.q = {0.25, 1}, .has_axis = true, .method = quantile_method::hazen, .skips_nan = true});
  EXPECT_EQ(quantile.restore(made.identity()), made);
  EXPECT_THROW(static_cast<void>(quantile.restore(made.identity() + "x")), value_error);
  EXPECT_THROW(static_cast<void>(quantile.restore(made.identity().substr(0, 14))), value_error);
  std::string other = made.identity();
  other[0] = 99;
  EXPECT_THROW(static_cast<void>(quantile.restore(other)), value_error);
  EXPECT_THROW(static_cast<void>(line::quantile_parameters({.q = {1.5}})), value_error);
}

}  // namespace
}  // namespace tessera
