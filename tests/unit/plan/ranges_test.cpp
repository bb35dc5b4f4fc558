// SPDX-License-Identifier: Apache-2.0
/// \file
/// Of chunks that are stored as they are in memory, a plan reads only the range from the first to
/// the last wanted element.
///
/// x is 60 x 40 float64 in 3 x 4 chunks of 20 x 10, of which the store counts the bytes read.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/core/message_of.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ts::index_t;

constexpr index_t rows = 60;
constexpr index_t columns = 40;

double element(index_t i, index_t j) { return static_cast<double>(3 * i * i - i * j + 5 * j); }

class Ranges : public ::testing::Test {
 protected:
  [[nodiscard]] ts::array<double, 2> stored(const ts::store_options& options) const {
    ts::ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    ts::store(ts::asarray(std::move(values), {.chunks = {20, 10}}), store_, "x", options);
    return ts::open<double, 2>(store_, "x");
  }

  /// The bytes that are read, and that the plan says.
  struct counted {
    long read = 0;
    long planned = 0;
  };

  /// Computes `e`; its element `i, j` must be the element of x in row `first + i * step` and column
  /// `column + j`.
  template <class E>
  counted read_for(const E& e, index_t first, index_t step, index_t column) const {
    const ts::plan plan(e);
    const long before = store_->num_bytes();
    const ts::ndarray<double, 2> values = plan.compute();
    const long read = store_->num_bytes() - before;
    for (index_t i = 0; i < values.shape()[0]; ++i) {
      for (index_t j = 0; j < values.shape()[1]; ++j) {
        EXPECT_EQ(values(i, j), element(first + i * step, column + j)) << i << ", " << j;
      }
    }
    return {read, static_cast<long>(plan.bytes_read().count())};
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

const ts::store_options raw{.compressor = ts::codec::none{}};

TEST_F(Ranges, OfSomeRowsAreReadAlone) {
  const auto x = stored(raw);
  // 7 rows of 40 columns; rows 15 to 24 lie in two chunks along the first axis.
  const auto top = read_for(x(ts::slice(0, 7)), 0, 1, 0);
  EXPECT_EQ(top.read, 7 * 40 * 8);
  EXPECT_EQ(top.planned, top.read);
  const auto middle = read_for(x(ts::slice(15, 25)), 15, 1, 0);
  EXPECT_EQ(middle.read, 10 * 40 * 8);
  EXPECT_EQ(middle.planned, middle.read);
  const auto corner = read_for(x(ts::slice(50, 60), ts::slice(20, 40)), 50, 1, 20);
  EXPECT_EQ(corner.read, 10 * 20 * 8);
  EXPECT_EQ(corner.planned, corner.read);
}

TEST_F(Ranges, AreReadIntoWhatIsComputed) {
  const auto x = stored(raw);
  const auto sums = ts::sum(x(ts::slice(18, 22)), ts::axis<0>);
  const ts::plan plan(sums);
  const long before = store_->num_bytes();
  const auto values = plan.compute();
  EXPECT_EQ(store_->num_bytes() - before, 4 * 40 * 8);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{4 * 40 * 8});
  for (index_t j = 0; j < columns; ++j) {
    EXPECT_EQ(values(j), element(18, j) + element(19, j) + element(20, j) + element(21, j));
  }
}

TEST_F(Ranges, OfCompressedChunksAreNotToBeHad) {
  const auto x = stored({.compressor = ts::codec::zlib{}});
  const auto top = read_for(x(ts::slice(0, 7)), 0, 1, 0);
  EXPECT_EQ(top.planned, 20 * 40 * 8);
}

TEST_F(Ranges, OfSomeColumnsReachFromTheFirstRowToTheLast) {
  const auto x = stored(raw);
  // In each of three chunks, from column 0 of the first row to column 4 of the last one.
  const auto columns = read_for(x(ts::whole, ts::slice(0, 5)), 0, 1, 0);
  EXPECT_EQ(columns.read, 3 * (19 * 10 + 5) * 8);
  EXPECT_GE(columns.planned, columns.read);
  EXPECT_LE(columns.planned, 3 * 20 * 10 * 8);
}

TEST_F(Ranges, OfColumnMajorChunksAreThoseOfColumns) {
  const auto x = stored({.compressor = ts::codec::none{}, .order = 'F'});
  const auto top = read_for(x(ts::slice(0, 7)), 0, 1, 0);
  EXPECT_EQ(top.read, 4 * (9 * 20 + 7) * 8);
  EXPECT_GE(top.planned, top.read);
}

TEST_F(Ranges, OfEverySecondRowLeaveOutWhatLiesBeyondThem) {
  const auto x = stored(raw);
  // Rows 10, 12, ..., 28: ten to 18 of the first chunk, 20 to 28 of the second.
  const auto some = read_for(x(ts::slice(10, 30, 2)), 10, 2, 0);
  EXPECT_LE(some.read, 4 * (9 + 9) * 10 * 8);
  EXPECT_GE(some.planned, some.read);
}

TEST_F(Ranges, OfAChunkOfAnotherSizeAreRefused) {
  const auto x = stored(raw);
  const std::vector<std::byte> half(20 * 10 * 8 / 2);
  store_->write("x/0.0", half);
  const std::string message =
      ts::testing::message_of<ts::error>([&] { (void)ts::compute(x(ts::slice(0, 7))); });
  EXPECT_NE(message.find("must have 1600 B, found 800 B"), std::string::npos) << message;
}

// In one chunk of 8 MB, 80 kB at either end.
TEST_F(Ranges, AtBothEndsOfAChunkAreReadWithoutWhatLiesBetween) {
  ts::ndarray<double, 2> values({1000, 1000});
  for (index_t i = 0; i < 1000; ++i) {
    for (index_t j = 0; j < 1000; ++j) values(i, j) = element(i, j);
  }
  ts::store(ts::asarray(std::move(values), {.chunks = {1000, 1000}}), store_, "one", raw);
  const auto x = ts::open<double, 2>(store_, "one");
  const ts::plan plan(x(ts::slice(0, 10)) - x(ts::slice(990, 1000)));
  const long before = store_->num_bytes();
  const auto differences = plan.compute();
  EXPECT_EQ(store_->num_bytes() - before, 160'000);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{160'000});
  for (index_t i = 0; i < 10; ++i) {
    for (index_t j = 0; j < 1000; ++j) {
      ASSERT_EQ(differences(i, j), element(i, j) - element(990 + i, j));
    }
  }
}

TEST_F(Ranges, OfNeighboursAreReadOnce) {
  const auto x = stored(raw);
  const ts::plan plan(x(ts::slice(1, 8)) - x(ts::slice(0, 7)));
  const long before = store_->num_bytes();
  const auto differences = plan.compute();
  EXPECT_EQ(store_->num_bytes() - before, 8 * 40 * 8);
  for (index_t i = 0; i < 7; ++i) {
    EXPECT_EQ(differences(i, 3), element(i + 1, 3) - element(i, 3));
  }
}

}  // namespace
