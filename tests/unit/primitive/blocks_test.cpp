// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of whole blocks, by the example of functions of lines.

#include "tessera/kernel/line_kernel.hpp"
#include "tessera/kernel/taking_kernel.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/tessera.hpp"

#include "kernel/api/parameters_fit.hpp"
#include "plan/plan_file.hpp"
#include "primitive/api/block_function.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
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

// All lines together are 1.9 MB, twice that with their medians.
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

/// Returns the refusal of a plan that sorts the first columns of the array at `input`.
std::string refusal_of_sort(const std::filesystem::path& input, const spec& limits,
                            index_t num_columns = 1) {
  const auto x = open<double, 2>(input, limits);
  try {
    static_cast<void>(plan(sort(x(whole, slice(num_columns)), axis<0>)));
  } catch (const memory_error& refusal) {
    return refusal.what();
  }
  return "it was planned";
}

// A column takes 4.8 kB, a chunk of the input 64 kB, and Blosc allocates 330 kB for it.
TEST_F(Blocks, AreRefusedByTheCodecOfAChunk) {
  const std::string message = refusal_of_sort(input_, limits(bytes{20'000}));
  EXPECT_THAT(message, HasSubstr("its codec of 'input.zarr' needs the most; take another codec"));
}

TEST_F(Blocks, AreRefusedByTheChunkThatATaskHolds) {
  store(open<double, 2>(input_, limits()), output_, {.compressor = codec::none{}});
  const std::string message = refusal_of_sort(output_, limits(bytes{20'000}));
  EXPECT_THAT(message, HasSubstr("it holds a whole chunk of 'output.zarr'; take smaller chunks"));
  EXPECT_THAT(message, HasSubstr("there, or an allowed memory of at least"));
}

// The search for ranks has no smaller block.
TEST_F(Blocks, ThatCannotBeCutAreRefusedWithTheirExtents) {
  store(open<double, 2>(input_, limits()), output_,
        {.chunks = {20, 1}, .compressor = codec::none{}});
  const std::string message = refusal_of_sort(output_, limits(bytes{6'000}));
  EXPECT_THAT(message, HasSubstr("elements at once, and cannot take fewer; shorten these axes"));
  EXPECT_THAT(message, HasSubstr("allowed memory of at least"));
}

// The passes of a sort hand on 8.5 kB of counts, and Blosc allocates 219 kB for them.
TEST_F(Blocks, AreRefusedByTheChunkThatPassesBetweenTasks) {
  store(open<double, 2>(input_, limits()), output_, {.chunks = {20, 1}});
  const std::string message = refusal_of_sort(output_, limits(bytes{6'000}), columns);
  EXPECT_THAT(message, HasSubstr("it holds a whole chunk of 'result sort: count"));
  EXPECT_THAT(message, HasSubstr("which is passed between tasks; take an allowed memory of at"));
}

// A block's elementwise operand is computed by its reader: once, and stored nowhere.
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
  const auto medians = plan.compute();
  for (index_t j = 0; j < columns; ++j) {
    ASSERT_EQ(medians(j), (rows - 1) / 2.0 + static_cast<double>(j) - 1);
  }
}

// Cut blocks would be read of copies, of two arrays in the place of one, each made in two steps: 8
// times the size, and more for chunks that are read twice.
TEST_F(Blocks, LeaveWhatIsMadeOfMoreWhereBlocksAreCut) {
  const auto little = limits(bytes{700'000});
  const auto x = open<double, 2>(input_, little);
  const std::string scaled = directory_ / "other.zarr";
  store(open<double, 2>(input_, limits()) * 3.0, scaled, {.chunks = {20, columns}});
  const auto plan = tessera::plan(median(x + open<double, 2>(scaled, little), axis<0>));
  constexpr std::size_t size = rows * columns * sizeof(double);
  EXPECT_LE(plan.bytes_read(), bytes{7 * size});
  const auto medians = plan.compute();
  for (index_t j = 0; j < columns; ++j) ASSERT_EQ(medians(j), 4 * (rows - 1) / 2.0);
}

TEST_F(Blocks, RunInOtherProcesses) {
  const auto x = open<double, 2>(input_, limits());
  const run_with two_workers{.executor = executors::processes(2)};
  store(sort(x, axis<0>, descending), output_, {}, two_workers);
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
  const auto quantiles = open<double, 2>(output_).compute();
  EXPECT_EQ(quantiles(0, 5), 0);
  EXPECT_EQ(quantiles(1, 5), (rows - 1) / 2.0);
  EXPECT_EQ(quantiles(2, 5), rows - 1);
}

// Kernels trust the extents of their blocks, so extents from a file are checked.
/// Returns the refusal of a saved product of (6, 8) and (8, 10), with another `tile`.
std::string refusal_of_tile(const std::string& tile) {
  const temporary_directory folder;
  const auto x = ones<double>({6, 8}, {.chunks = {3, 8}});
  const auto y = ones<double>({8, 10}, {.chunks = {8, 5}});
  plan(stored(matmul(x, y), folder / "product")).save(folder / "plan");
  const plan_file file = read_plan_file(folder / "plan");
  std::string text(file.text);
  const std::string current = "\"tile\":[3,5,8]";
  const std::size_t at = text.find(current);
  if (at == std::string::npos) return "the plan has another tile: " + text;
  text.replace(at, current.size(), "\"tile\":" + tile);
  write_plan_file(folder / "changed", text, file.elements.bytes.size(),
                  [&](const auto& sink) { sink(file.elements.bytes); });
  try {
    static_cast<void>(bounded_plan::load(folder / "changed"));
  } catch (const value_error& refusal) {
    return refusal.what();
  }
  return "it was loaded";
}

TEST(Tiles, OfSavedPlansAreChecked) {
  EXPECT_EQ(refusal_of_tile("[3,5,8]"), "it was loaded");
  EXPECT_EQ(refusal_of_tile("[]"), "it was loaded");
  EXPECT_EQ(refusal_of_tile("[1,0,4]"), "it was loaded");
  EXPECT_THAT(refusal_of_tile("[2,5,8]"), HasSubstr("a block is a multiple of the tiles"));
  EXPECT_THAT(refusal_of_tile("[4,5,8]"), HasSubstr("a block is a multiple of the tiles"));
  EXPECT_THAT(refusal_of_tile("[3,5]"), HasSubstr("tiles have an extent along each axis"));
  EXPECT_NE(refusal_of_tile("[-3,5,8]"), "it was loaded");
  EXPECT_NE(refusal_of_tile("[3,5,8.5]"), "it was loaded");
}

TEST(BlockKernels, TakeNoBlocksOfOtherShapes) {
  const block_kernel& sort = line::sort(dtype::float32);
  const kernel_parameters up = line::sort_parameters(false);
  EXPECT_TRUE(sort.takes({{{3, 5}}, {{3, 5}}, up.get()}));
  EXPECT_FALSE(sort.takes({{{3, 5}}, {{3, 6}}, up.get()}));
  EXPECT_FALSE(sort.takes({{{3, 5}}, {{3}}, up.get()}));
  EXPECT_FALSE(sort.takes({{{}}, {{}}, up.get()}));
  const block_kernel& quantile = line::quantile(dtype::int8);
  const kernel_parameters two_quantiles =
      line::quantile_parameters({.q = {0, 1}, .has_axis = true});
  EXPECT_TRUE(quantile.takes({{{3, 5}}, {{3, 2}}, two_quantiles.get()}));
  EXPECT_FALSE(quantile.takes({{{3, 5}}, {{3, 1}}, two_quantiles.get()}));
  EXPECT_FALSE(quantile.takes({{{3, 5}}, {{4, 2}}, two_quantiles.get()}));
  EXPECT_FALSE(quantile.takes({{{5}}, {{5, 2}}, two_quantiles.get()}));
}

// A file may state wrong sizes or numbers of the elements that lead to elements.
TEST(BlockKernels, TakeNoParametersOfOtherTypesOrExtents) {
  const auto fits = [](dtype type, dtype index, index_t extent) {
    const kernel_parameters parameters = taking_parameters(
        {.function = "take", .shape = {extent}, .num_listed = 1, .type = type, .indices = {index}});
    const std::array indices{dtype::int64};
    return detail::parameters_fit(taking_kernel(dtype::float64, indices),
                                  {{{3, 10}, {3}}, {{3}}, parameters.get()});
  };
  EXPECT_TRUE(fits(dtype::float64, dtype::int64, 10));
  EXPECT_FALSE(fits(dtype::complex128, dtype::int64, 10));
  EXPECT_FALSE(fits(dtype::float64, dtype::int8, 10));
  EXPECT_FALSE(fits(dtype::float64, dtype::int64, 11));
}

TEST(BlockKernels, RestoreTheirParameters) {
  const block_kernel& quantile = line::quantile(dtype::float64);
  const kernel_parameters parameters = line::quantile_parameters(
      {.q = {0.25, 1}, .has_axis = true, .method = quantile_method::hazen, .skips_nan = true});
  EXPECT_EQ(quantile.restore(parameters.identity()), parameters);
  EXPECT_THROW(static_cast<void>(quantile.restore(parameters.identity() + "x")), value_error);
  EXPECT_THROW(static_cast<void>(quantile.restore(parameters.identity().substr(0, 14))),
               value_error);
  std::string changed = parameters.identity();
  changed[0] = 99;
  EXPECT_THROW(static_cast<void>(quantile.restore(changed)), value_error);
  EXPECT_THROW(static_cast<void>(line::quantile_parameters({.q = {1.5}})), value_error);
}

}  // namespace
}  // namespace tessera
