// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operands that are computed around blocks: read once, and stored nowhere.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace tessera {
namespace {

using ::testing::HasSubstr;

using testing::temporary_directory;

/// The sum of the elements from two before to one behind along the first axis, weighed by their
/// offset, and of the one before along the second.
struct sum_of_near {
  void operator()(block_view<const double, 2> x, block_view<double, 2> result) const {
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      for (index_t j = 0; j < result.shape()[1]; ++j) {
        result(i, j) = 100 * x(i + 2, j);
        for (index_t k = 0; k < 4; ++k)
          result(i, j) += static_cast<double>(1 + k) * x(i + k, j + 1);
      }
    }
  }
};

/// Writes the start of the block of an element, and its extents.
struct positions_of_blocks {
  void operator()(block_view<const double, 2> x, block_view<double, 2> result) const {
    const auto [rows, columns] = result.shape();
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) {
        result(i, j) = x(i + 1, j + 1) + 1e3 * static_cast<double>(result.start(0)) +
                       1e6 * static_cast<double>(result.start(1)) +
                       1e9 * static_cast<double>(rows) + 1e12 * static_cast<double>(columns);
      }
    }
  }
};

double element(index_t i, index_t j) { return static_cast<double>((5 * i * i + 3 * j) % 17); }

/// Returns 2 x + 1 at a place that may lie beyond the ends of an x of n x m elements, or zero.
double computed_at(index_t i, index_t j, index_t n, index_t m, boundary beyond) {
  const auto index_within = [beyond](index_t at, index_t extent) {
    switch (beyond) {
      case boundary::edge:
        return std::clamp<index_t>(at, 0, extent - 1);
      case boundary::reflect:
        return at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at;
      case boundary::symmetric:
        return at < 0 ? -at - 1 : at >= extent ? 2 * extent - 1 - at : at;
      case boundary::wrap:
        return (at + extent) % extent;
      case boundary::constant:
        break;
    }
    return 0 <= at && at < extent ? at : index_t{-1};
  };
  const index_t row = index_within(i, n);
  const index_t column = index_within(j, m);
  return row < 0 || column < 0 ? 0 : 2 * element(row, column) + 1;
}

constexpr std::array boundaries{boundary::constant, boundary::edge, boundary::reflect,
                                boundary::symmetric, boundary::wrap};

class Overlap : public ::testing::Test {
 protected:
  /// Returns an array of n x m elements in a store that counts reads.
  array<double, 2> stored_array(index_t n, index_t m, std::array<index_t, 2> chunks) {
    ndarray<double, 2> values(std::array{n, m});
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < m; ++j) values(i, j) = element(i, j);
    }
    store(values, counting_, "x", {.chunks = {chunks[0], chunks[1]}});
    return open<double, 2>(counting_, "x", {.work_dir = directory_ / "work"});
  }

  /// Expects `sum_of_near` of 2 x + 1, and `added` more.
  static void expect_sums(const ndarray<double, 2>& sums, boundary beyond, double added = 0) {
    const auto [n, m] = sums.shape();
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < m; ++j) {
        double expected = 100 * computed_at(i, j - 1, n, m, beyond) + added;
        for (index_t k = 0; k < 4; ++k) {
          expected += static_cast<double>(1 + k) * computed_at(i + k - 2, j, n, m, beyond);
        }
        ASSERT_EQ(sums(i, j), expected) << i << ", " << j;
      }
    }
  }

  temporary_directory directory_;
  std::shared_ptr<test::counting_store> counting_ = std::make_shared<test::counting_store>();
};

// The chunks hold all of the axis along which a function sees more than its block.
TEST_F(Overlap, ReadsWhatItComputesOnce) {
  const auto x = stored_array(12, 9, {12, 2});
  for (const boundary beyond : boundaries) {
    const auto sums = map_overlap<double>(
        [](block_view<const double, 2> from, block_view<double, 2> result) {
          for (index_t i = 0; i < result.shape()[0]; ++i) {
            for (index_t j = 0; j < result.shape()[1]; ++j)
              result(i, j) = from(i, j) - from(i + 3, j);
          }
        },
        2.0 * x + 1.0, {.depth = {{2, 1}, {0, 0}}, .beyond = beyond});
    const auto plan = tessera::plan(sums);
    ASSERT_EQ(plan.num_operations(), 1U);
    EXPECT_EQ(plan.bytes_read(), bytes{12 * 10 * sizeof(double)});
    const long before = counting_->num_reads();
    const auto result = plan.compute();
    EXPECT_EQ(counting_->num_reads() - before, 5);
    for (index_t i = 0; i < 12; ++i) {
      for (index_t j = 0; j < 9; ++j) {
        ASSERT_EQ(result(i, j),
                  computed_at(i - 2, j, 12, 9, beyond) - computed_at(i + 1, j, 12, 9, beyond))
            << i << ", " << j;
      }
    }
  }
}

// Tasks take several chunks, sweep by sweep, so that few are read for two of them.
TEST_F(Overlap, ReadsLittleOfManyChunksTwice) {
  const auto x = stored_array(64, 128, {2, 4});
  for (const boundary beyond : boundaries) {
    const auto plan = tessera::plan(map_overlap<double>(
        sum_of_near{}, 2.0 * x + 1.0, {.depth = {{2, 1}, {1, 0}}, .beyond = beyond}));
    ASSERT_EQ(plan.num_operations(), 1U);
    const long before = counting_->num_reads();
    const auto result = plan.compute();
    const long num_reads = counting_->num_reads() - before;
    EXPECT_EQ(plan.bytes_read(), bytes{static_cast<std::size_t>(num_reads) * 8 * sizeof(double)});
    EXPECT_LE(num_reads, 32 * 32 * 8 / 5);
    expect_sums(result, beyond);
  }
}

// However many chunks a task takes.
TEST_F(Overlap, CallsTheFunctionForEachChunk) {
  const auto x = stored_array(63, 126, {2, 4});
  const auto plan = tessera::plan(
      map_overlap<double>(positions_of_blocks{}, 2.0 * x + 1.0, {.depth = {{1, 1}, {1, 1}}}));
  EXPECT_LT(plan.num_tasks(), 100);
  const auto result = plan.compute();
  for (index_t i = 0; i < 63; ++i) {
    for (index_t j = 0; j < 126; ++j) {
      const double rows = i < 62 ? 2 : 1;
      const double columns = j < 124 ? 4 : 2;
      ASSERT_EQ(result(i, j), 2 * element(i, j) + 1 + 1e3 * static_cast<double>(i / 2 * 2) +
                                  1e6 * static_cast<double>(j / 4 * 4) + 1e9 * rows +
                                  1e12 * columns)
          << i << ", " << j;
    }
  }
}

TEST_F(Overlap, IsComputedFurtherWhereItIsMade) {
  const auto x = stored_array(64, 128, {2, 4});
  const auto plan =
      tessera::plan(map_overlap<double>(sum_of_near{}, 2.0 * x + 1.0,
                                        {.depth = {{2, 1}, {1, 0}}, .beyond = boundary::wrap}) +
                    0.5);
  EXPECT_EQ(plan.num_operations(), 1U);
  expect_sums(plan.compute(), boundary::wrap, 0.5);
}

// For a part of the result, and in other processes.
TEST_F(Overlap, IsMadeInPartsInOtherProcesses) {
  const std::string folder = directory_ / "x.zarr";
  store(stored_array(64, 12, {2, 12}), folder, {.chunks = {2, 12}});
  const auto x = open<double, 2>(folder, spec{.work_dir = directory_ / "work"});
  const auto sums = map_overlap<double>(sum_of_near{}, 2.0 * x + 1.0,
                                        {.depth = {{2, 1}, {1, 0}}, .beyond = boundary::reflect});
  store(sums(slice(7, 50), slice(3, none)), directory_ / "y.zarr", {},
        {.executor = executors::processes(2)});
  const auto part = open<double, 2>(directory_ / "y.zarr").compute();
  const auto all_sums = sums.compute();
  expect_sums(all_sums, boundary::reflect);
  for (index_t i = 7; i < 50; ++i) {
    for (index_t j = 3; j < 12; ++j)
      ASSERT_EQ(part(i - 7, j - 3), all_sums(i, j)) << i << ", " << j;
  }
}

TEST_F(Overlap, IsSavedAndLoaded) {
  const std::string folder = directory_ / "x.zarr";
  store(stored_array(64, 12, {2, 12}), folder, {.chunks = {2, 12}});
  const auto x = open<double, 2>(folder, spec{.work_dir = directory_ / "work"});
  const auto plan = tessera::plan(
      stored(map_overlap<double>(sum_of_near{}, 2.0 * x + 1.0, {.depth = {{2, 1}, {1, 0}}}),
             directory_ / "y.zarr"));
  ASSERT_EQ(plan.num_operations(), 1U);
  plan.save(directory_ / "plan");
  const bounded_plan loaded = bounded_plan::load(directory_ / "plan");
  EXPECT_EQ(loaded.identity(), plan.bounded().identity());
  run(loaded, {.executor = executors::serial()});
  expect_sums(open<double, 2>(directory_ / "y.zarr").compute(), boundary::reflect);
}

TEST_F(Overlap, OfNothingIsNothing) {
  const auto x = stored_array(8, 16, {2, 4});
  const auto sums = map_overlap<double>(sum_of_near{}, 2.0 * x(slice(3, 3)) + 1.0,
                                        {.depth = {{2, 1}, {1, 0}}, .beyond = boundary::constant});
  EXPECT_EQ(sums.compute().shape(), (std::array<index_t, 2>{0, 16}));
}

// Each task would read nine chunks for one.
TEST_F(Overlap, IsReadFromACopyWhereChunksWouldBeReadAgainAndAgain) {
  const auto x = stored_array(8, 16, {2, 4});
  const auto plan =
      tessera::plan(map_overlap<double>(sum_of_near{}, 2.0 * x + 1.0, {.depth = {{2, 1}, {1, 0}}}));
  EXPECT_EQ(plan.num_operations(), 2U);
  EXPECT_THAT(plan.explain().to_string(), HasSubstr("in one operation would take longer: "));
  expect_sums(plan.compute(), boundary::reflect);
}

}  // namespace
}  // namespace tessera
