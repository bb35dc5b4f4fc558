// SPDX-License-Identifier: Apache-2.0
/// \file
/// Windows of which each step sees every how many-th layer of a chunk.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

/// An array of 600 x 400 float32 in uncompressed chunks of 100 x 200 (80 kB); element (i, j) is
/// 1000 i + j.
class SpacedWindow : public ::testing::Test {
 protected:
  SpacedWindow() {
    std::vector<float> values(600 * 400);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = at(k / 400, k % 400);
    const auto array = ts::from_memory(values.data(), {600, 400}, {.chunks = {100, 200}});
    ts::store(array, store_, "x", {.compressor = ts::codec::none{}});
  }

  static float at(std::size_t i, std::size_t j) { return static_cast<float>(1000 * i + j); }

  [[nodiscard]] ts::array<float, 2> x() const { return ts::open<float, 2>(store_, "x"); }

  /// Computes the sums of every `step`-th row from `first` on, and compares them with closed ones.
  void expect_sums_of_rows(ts::index_t first, ts::index_t step) {
    const auto rows = ts::astype<double>(x()(ts::slice(first, ts::none, step)));
    const ts::ndarray<double, 1> sums = ts::sum(rows, ts::axis<0>).compute();
    double count = 0;
    double of_rows = 0;
    for (ts::index_t i = first; i >= 0 && i < 600; i += step) {
      ++count;
      of_rows += 1000.0 * static_cast<double>(i);
    }
    for (ts::index_t j = 0; j < 400; ++j) {
      ASSERT_EQ(sums(j), of_rows + count * static_cast<double>(j)) << first << ", " << step;
    }
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

// Beside the encoded chunk of 80 kB and the decoded one, every second row of it would take 40 kB.
TEST_F(SpacedWindow, HoldsTheChunkAndNoCopyOfSomeOfItsRows) {
  const auto even = ts::plan(ts::sum(x()(ts::slice(ts::none, ts::none, 2)), ts::axis<0>));
  EXPECT_LT(even.projected_memory(), 200_kB);
  EXPECT_EQ(even.bytes_read(), 960_kB);
  EXPECT_DOUBLE_EQ(even.explain().operations.at(0).reads.at(0).amplification, 2);
}

// Of 7 and 64, rows lie otherwise in each chunk; of 100, there is one in each.
TEST_F(SpacedWindow, FindsTheRowsWhereverTheyLieInChunks) {
  for (const ts::index_t step : {2, 4, 7, 64, 100, 250}) {
    for (const ts::index_t first : {0, 1, 3, 99, 150}) expect_sums_of_rows(first, step);
  }
  expect_sums_of_rows(599, -2);
}

TEST_F(SpacedWindow, FindsElementsOfBothAxes) {
  const auto some = x()(ts::slice(1, ts::none, 2), ts::slice(3, ts::none, 5)) + 1.0F;
  const ts::ndarray<float, 2> values = some.compute();
  for (ts::index_t i = 0; i < 300; ++i) {
    for (ts::index_t j = 0; j < 80; ++j) {
      ASSERT_EQ(values(i, j),
                at(static_cast<std::size_t>(2 * i + 1), static_cast<std::size_t>(5 * j + 3)) + 1);
    }
  }
}

TEST_F(SpacedWindow, IsStoredAsItIsRead) {
  ts::store(x()(ts::slice(ts::none, ts::none, 2)), store_, "even");
  const auto even = ts::open<float, 2>(store_, "even").compute();
  for (ts::index_t i = 0; i < 300; ++i) {
    ASSERT_EQ(even(i, 7), at(static_cast<std::size_t>(2 * i), 7));
  }
}

// Rows 0 to 8 of 100: a range of 9 rows of 200 float32 in each of two chunks, although the chunks
// are 160 kB.
TEST_F(SpacedWindow, ReadsARangeWhereTheRowsLieInAPartOfTheChunk) {
  const ts::plan plan(x()(ts::slice(0, 10, 2)) + 1.0F);
  const long before = store_->num_bytes();
  const ts::ndarray<float, 2> values = plan.compute();
  EXPECT_EQ(store_->num_bytes() - before, 2 * 9 * 200 * 4);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{2 * 9 * 200 * 4});
  for (ts::index_t i = 0; i < 5; ++i) {
    for (ts::index_t j = 0; j < 400; ++j) {
      ASSERT_EQ(values(i, j), at(static_cast<std::size_t>(2 * i), static_cast<std::size_t>(j)) + 1);
    }
  }
}

TEST_F(SpacedWindow, ReadsARangeOfRowsThatAreFolded) {
  const ts::plan plan(ts::sum(x()(ts::slice(0, 10, 2)), ts::axis<0>));
  const long before = store_->num_bytes();
  const auto sums = plan.compute();
  EXPECT_EQ(store_->num_bytes() - before, 2 * 9 * 200 * 4);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{2 * 9 * 200 * 4});
  for (ts::index_t j = 0; j < 400; ++j) ASSERT_EQ(sums(j), 20'000 + 5 * static_cast<float>(j));
}

}  // namespace
