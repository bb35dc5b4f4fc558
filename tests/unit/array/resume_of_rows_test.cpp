// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera {
namespace {

using testing::temporary_directory;

std::atomic<bool> is_full{false};

/// Adds a half; a function object without state, so that plans with it are portable.
struct stopping {
  double operator()(double x) const {
    if (is_full) throw store_error("the disk is full");
    return x + 0.5;
  }
};

// A task folds its rows and computes chunks from them. The rest of its chunks needs the whole rows.
TEST(ResumeOfRows, FoldsWholeRowsForTheRestOfATask) {
  constexpr index_t num_rows = 64;
  constexpr index_t num_columns = 450;
  constexpr index_t rows_of_chunk = 32;
  constexpr index_t columns_of_chunk = 18;
  const temporary_directory directory;
  const std::string input = directory / "rows.zarr";
  const std::string output = directory / "output.zarr";
  const spec limits{.work_dir = directory / "work"};
  const run_with on_one{.executor = executors::serial()};
  ndarray<double, 2> values({num_rows, num_columns});
  for (index_t i = 0; i < num_rows; ++i) {
    for (index_t j = 0; j < num_columns; ++j) {
      values(i, j) = static_cast<double>(i * num_columns + j);
    }
  }
  store(asarray(values, {.chunks = {rows_of_chunk, columns_of_chunk}, .spec = limits}), input, {},
        on_one);
  const auto expected = [](index_t j) {
    return static_cast<double>(j) - (num_columns - 1) / 2.0 + 0.5;
  };
  const auto run_all = [&] {
    const auto x = open<double, 2>(input, limits);
    const auto distance = map(stopping{}, x - mean(x, axis<1>, keepdims));
    const plan program(
        stored(distance, output,
               {.chunks = {rows_of_chunk, columns_of_chunk}, .compressor = codec::none{}}));
    ASSERT_EQ(program.num_operations(), 1U) << program;
    program.execute(on_one);
  };
  is_full = true;
  EXPECT_THROW(run_all(), task_error);
  is_full = false;
  // As if the task had been stopped between chunks.
  for (index_t k = 0; k < 12; ++k) {
    std::vector<double> elements;
    for (index_t i = 0; i < rows_of_chunk; ++i) {
      for (index_t j = 0; j < columns_of_chunk; ++j) {
        elements.push_back(expected(k * columns_of_chunk + j));
      }
    }
    std::ofstream(output + "/0." + std::to_string(k), std::ios::binary)
        .write(reinterpret_cast<const char*>(elements.data()),
               static_cast<std::streamsize>(elements.size() * sizeof(double)));
  }
  run_all();
  const auto result = open<double, 2>(output).compute();
  for (index_t i = 0; i < num_rows; ++i) {
    for (index_t j = 0; j < num_columns; ++j) {
      ASSERT_EQ(result(i, j), expected(j)) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace tessera
