// SPDX-License-Identifier: Apache-2.0

/// \file
/// Elementwise operands of functions of blocks, computed in the tasks of their readers.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

constexpr index_t rows = 240;
constexpr index_t columns = 160;
/// The bytes of the stored matrix.
constexpr ts::bytes matrix_bytes{rows * columns * sizeof(double)};

/// An integer in [0, 31).
double element(index_t i, index_t j) { return static_cast<double>((7 * i + 3 * j) % 31); }

/// A stored matrix in chunks of whole rows. Its products and sums are integers.
class MergedMaps : public ::testing::Test {
 protected:
  MergedMaps() {
    ts::ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    ts::store(ts::asarray(std::move(values), {.chunks = {10, columns}}), store_, "x",
              {.compressor = ts::codec::none{}});
  }

  [[nodiscard]] ts::array<double, 2> x(const ts::spec& limits = {}) const {
    return ts::open<double, 2>(store_, "x", limits);
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

/// Returns the sum over i of `f(i)`.
template <class F>
double sum_over_rows(F f) {
  double sum = 0;
  for (index_t i = 0; i < rows; ++i) sum += f(i);
  return sum;
}

// A product of a map with itself sees it along its rows and along its columns.
TEST_F(MergedMaps, AreComputedForEachView) {
  const auto y = x() - 1.0;
  const ts::plan plan(ts::matmul(ts::matrix_transpose(y), y));
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_EQ(plan.bytes_read(), matrix_bytes);
  const auto products = plan.compute();
  for (index_t a = 0; a < columns; ++a) {
    for (index_t b = 0; b < columns; ++b) {
      ASSERT_EQ(products(a, b), sum_over_rows([&](index_t i) {
                  return (element(i, a) - 1) * (element(i, b) - 1);
                }));
    }
  }
}

// Both factors are maps of one array: one operation of two outputs, before it is merged.
TEST_F(MergedMaps, AreComputedForEachOutput) {
  const ts::plan plan(ts::matmul(ts::matrix_transpose(x() + 1.0), x() * 2.0));
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_EQ(plan.bytes_read(), matrix_bytes);
  const auto products = plan.compute();
  for (index_t a = 0; a < columns; ++a) {
    for (index_t b = 0; b < columns; ++b) {
      ASSERT_EQ(products(a, b),
                sum_over_rows([&](index_t i) { return (element(i, a) + 1) * 2 * element(i, b); }));
    }
  }
}

/// Returns the medians along the rows of the matrix plus 1.
std::vector<double> medians() {
  std::vector<double> result;
  for (index_t i = 0; i < rows; ++i) {
    std::vector<double> line;
    for (index_t j = 0; j < columns; ++j) line.push_back(element(i, j) + 1);
    std::sort(line.begin(), line.end());
    result.push_back((line[columns / 2 - 1] + line[columns / 2]) / 2);
  }
  return result;
}

// A map that is larger than a task may be is computed by both readers.
TEST_F(MergedMaps, AreComputedByEachReaderIfMemoryIsShort) {
  const auto y = x({.allowed_memory = 250_kB, .intermediate_compressor = "none"}) + 1.0;
  const ts::plan plan(ts::pass_switches{.memory_tier = false}, ts::median(y, ts::axis<1>),
                      ts::sort(y, ts::axis<1>));
  EXPECT_EQ(plan.num_operations(), 2U);
  EXPECT_EQ(plan.bytes_read(), matrix_bytes * 2);
  const auto [middle, sorted] = plan.compute();
  const std::vector<double> expected = medians();
  for (index_t i = 0; i < rows; ++i) {
    ASSERT_EQ(middle(i), expected[static_cast<std::size_t>(i)]) << i;
    std::vector<double> line;
    for (index_t j = 0; j < columns; ++j) line.push_back(element(i, j) + 1);
    std::sort(line.begin(), line.end());
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_EQ(sorted(i, j), line[static_cast<std::size_t>(j)]) << i << ", " << j;
    }
  }
}

// Without the pass that merges maps, two readers do not get a map each.
TEST_F(MergedMaps, AreComputedOnceIfNoneIsMerged) {
  const auto y = x({.allowed_memory = 250_kB, .intermediate_compressor = "none"}) + 1.0;
  const ts::plan plan(ts::pass_switches{.fuse_producers = false, .memory_tier = false},
                      ts::median(y, ts::axis<1>), ts::sort(y, ts::axis<1>));
  EXPECT_EQ(plan.num_operations(), 3U);
  // The map, its sorted lines, and their medians.
  EXPECT_EQ(plan.bytes_written(), matrix_bytes * 2 + ts::bytes{rows * sizeof(double)});
}

// The mean has the map in its own program.
TEST_F(MergedMaps, AreComputedBesideFoldsOfTheSameLines) {
  const auto y = ts::sqrt(x() * x()) + 1.0;
  const ts::plan plan(ts::median(y, ts::axis<1>), ts::mean(y, ts::axis<1>));
  EXPECT_LE(plan.bytes_read(), matrix_bytes * 2);
  const auto [middle, means] = plan.compute();
  const std::vector<double> expected = medians();
  for (index_t i = 0; i < rows; ++i) {
    ASSERT_EQ(middle(i), expected[static_cast<std::size_t>(i)]) << i;
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(i, j) + 1;
    ASSERT_DOUBLE_EQ(means(i), sum / columns) << i;
  }
}

// Each row is in three windows: a map is computed once for all of them.
TEST_F(MergedMaps, AreComputedOnceForWindowsThatOverlap) {
  const ts::plan plan(ts::correlate(ts::sqrt(x()) + 1.0, {1.0, 2.0, 3.0}, ts::axis<0>));
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_LE(plan.bytes_read(), matrix_bytes * 2);
  const auto sums = plan.compute();
  ASSERT_EQ(sums.shape()[0], rows - 2);
  const auto root = [](index_t i, index_t j) { return std::sqrt(element(i, j)) + 1; };
  for (index_t i = 0; i < rows - 2; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_DOUBLE_EQ(sums(i, j), root(i, j) + 2 * root(i + 1, j) + 3 * root(i + 2, j));
    }
  }
}

// A border is computed for blocks of elements. Windows have 41 times as many elements.
TEST_F(MergedMaps, AddBordersToBlocksOfWindows) {
  constexpr index_t length = 41;
  constexpr ts::bytes block_bytes{10 * columns * sizeof(double)};
  const ts::plan plan(
      ts::correlate(x(), std::vector<double>(length, 1.0), ts::axis<1>, ts::overlap::same));
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_EQ(plan.bytes_read(), matrix_bytes);
  EXPECT_LE(plan.projected_memory(), ts::bytes{block_bytes.count() * 10});
  const auto sums = plan.compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      double sum = 0;
      const index_t first = std::max<index_t>(0, j - length / 2);
      const index_t stop = std::min(columns, j + length / 2 + 1);
      for (index_t k = first; k < stop; ++k) sum += element(i, k);
      ASSERT_EQ(sums(i, j), sum) << i << ", " << j;
    }
  }
}

// Blocks are cut for memory: chunks of an array between operations follow them.
TEST_F(MergedMaps, AddBordersInBlocksThatAreCutForMemory) {
  for (std::uint64_t allowed = 40'000; allowed < 400'000; allowed += 10'000) {
    const ts::spec limits{.allowed_memory = ts::bytes{allowed}, .intermediate_compressor = "none"};
    const ts::plan plan(ts::pass_switches{.memory_tier = false},
                        ts::gaussian_filter(x(limits), 2.0));
    EXPECT_LE(plan.projected_memory(), limits.allowed_memory);
  }
}

/// Returns the index in [0, n) that a reflection at both ends shows at `i`.
index_t reflected(index_t i, index_t n) { return i < 0 ? -i : std::min(i, 2 * (n - 1) - i); }

// Sums of columns of sums of rows, with borders of both: no sum of rows leaves its task.
TEST_F(MergedMaps, AddBordersBetweenWindowsOfWindows) {
  const auto of_three = [](const auto& array, auto along, index_t before, index_t after) {
    const auto padded = ts::pad(array, {{before, before}, {after, after}}, ts::boundary::reflect);
    return ts::correlate(padded, {1.0, 2.0, 3.0}, along);
  };
  const auto y = of_three(of_three(x(), ts::axis<0>, 1, 0), ts::axis<1>, 0, 1);
  const ts::plan plan(ts::pass_switches{.memory_tier = false}, y);
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_LE(plan.bytes_read(), matrix_bytes * 3);
  const auto sums = plan.compute();
  const auto of_rows = [](index_t i, index_t j) {
    double sum = 0;
    for (index_t k = 0; k < 3; ++k) {
      sum += static_cast<double>(k + 1) * element(reflected(i + k - 1, rows), j);
    }
    return sum;
  };
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (index_t k = 0; k < 3; ++k) {
        sum += static_cast<double>(k + 1) * of_rows(i, reflected(j + k - 1, columns));
      }
      ASSERT_EQ(sums(i, j), sum) << i << ", " << j;
    }
  }
}

// The other end is in another block: elements around a block do not have it.
TEST_F(MergedMaps, LeavePeriodicBordersBetweenWindowsApart) {
  const auto sums = ts::correlate(x(), {1.0, 2.0, 3.0}, ts::axis<1>);
  const auto padded = ts::pad(sums, {{1, 1}, {0, 0}}, ts::boundary::wrap);
  const ts::plan plan(ts::pass_switches{.memory_tier = false},
                      ts::correlate(padded, {1.0, 2.0, 3.0}, ts::axis<0>));
  EXPECT_EQ(plan.num_operations(), 2U);
  const auto of_columns = [](index_t i, index_t j) {
    return element(i, j) + 2 * element(i, j + 1) + 3 * element(i, j + 2);
  };
  const auto result = plan.compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns - 2; ++j) {
      ASSERT_EQ(result(i, j), of_columns((i + rows - 1) % rows, j) + 2 * of_columns(i, j) +
                                  3 * of_columns((i + 1) % rows, j));
    }
  }
}

// Both axes of a small domain are whole in a step: the folded one is that of the windows.
TEST_F(MergedMaps, AreComputedAroundWindowsOfWindowsAlongOneAxis) {
  constexpr index_t extent = 6;
  const auto small = x()(ts::slice(0, extent), ts::slice(0, extent));
  const auto twice = ts::correlate(ts::sqrt(small * small), {1.0, 2.0}, ts::axis<1>);
  const auto padded = ts::pad(twice, {{0, 0}, {1, 0}}, ts::boundary::edge);
  const auto sums = ts::plan(ts::correlate(padded, {1.0, 3.0}, ts::axis<1>)).compute();
  const auto once = [](index_t i, index_t j) { return element(i, j) + 2 * element(i, j + 1); };
  for (index_t i = 0; i < extent; ++i) {
    for (index_t j = 0; j < extent - 1; ++j) {
      ASSERT_EQ(sums(i, j), once(i, std::max<index_t>(0, j - 1)) + 3 * once(i, j))
          << i << ", " << j;
    }
  }
}

// The gradient of a matrix reads it once for both directions: windows of a map are not stored.
TEST_F(MergedMaps, AreReadByWindowsInTwoDirections) {
  const auto down = ts::correlate(x(), {1.0, 0.0, -1.0}, ts::axis<0>, ts::overlap::same);
  const auto across = ts::correlate(x(), {1.0, 0.0, -1.0}, ts::axis<1>, ts::overlap::same);
  const ts::plan plan(ts::pass_switches{.memory_tier = false}, down * down + across * across);
  EXPECT_EQ(plan.num_operations(), 1U);
  EXPECT_LE(plan.bytes_read(), matrix_bytes * 3);
  const auto squares = plan.compute();
  const auto at = [](index_t i, index_t j) {
    const bool is_inside = 0 <= i && i < rows && 0 <= j && j < columns;
    return is_inside ? element(i, j) : 0;
  };
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      const double below = at(i - 1, j) - at(i + 1, j);
      const double beside = at(i, j - 1) - at(i, j + 1);
      ASSERT_EQ(squares(i, j), below * below + beside * beside) << i << ", " << j;
    }
  }
}

}  // namespace
