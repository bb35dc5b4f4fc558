// SPDX-License-Identifier: Apache-2.0
/// \file
/// Unread parts are not computed: the same programs with the pass off and on.
///
/// x is 60 x 40 float64 in 6 x 4 chunks of 10 x 10, of which the store counts reads.

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ts::index_t;

constexpr index_t rows = 60;
constexpr index_t columns = 40;

double element(index_t i, index_t j) { return static_cast<double>(i * i - 3 * i * j + 2 * j); }

class Crop : public ::testing::Test {
 protected:
  Crop() {
    ts::ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    // Compressed, so that a chunk is read whole whatever is wanted of it.
    ts::store(ts::asarray(std::move(values), {.chunks = {10, 10}}), store_, "x",
              {.compressor = ts::codec::zlib{}});
  }

  [[nodiscard]] ts::array<double, 2> x() const { return ts::open<double, 2>(store_, "x"); }

  using list = std::vector<std::string>;

  /// Returns the operations of the printed plan, with the shapes that they walk.
  template <class... Es>
  static list rows_of(const ts::pass_switches& passes, const Es&... es) {
    const ts::plan plan(passes, es...);
    list operations;
    for (const auto& planned : plan.bounded().inside().operations) {
      EXPECT_NE(plan.bounded().to_string().find(planned.label), std::string::npos);
      operations.push_back(planned.label + " over " + ts::format_shape(planned.op.schedule.domain));
    }
    return operations;
  }

  /// Runs `e` and returns how many chunks were read, as many as planned; and sets `values`.
  template <class E, class Values>
  long reads_of(const ts::pass_switches& passes, const E& e, Values& values) const {
    const ts::plan plan(passes, e);
    const long before = store_->num_reads();
    values = plan.compute();
    const long reads = store_->num_reads() - before;
    EXPECT_EQ(plan.bytes_read(), ts::bytes{800 * reads});
    return reads;
  }

  /// Expects `e` to read that many chunks with the pass off and on, and returns its values, which
  /// must be the same.
  template <class E>
  auto cropped(const E& e, long reads_before, long reads_after) const {
    auto values = ts::plan(e).compute();
    auto others = values;
    EXPECT_EQ(reads_of({.crop = false}, e, others), reads_before);
    EXPECT_EQ(reads_of({}, e, values), reads_after);
    EXPECT_TRUE(std::equal(values.span().begin(), values.span().end(), others.span().begin(),
                           others.span().end()));
    return values;
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

TEST_F(Crop, OfAFoldReadsTheRowsThatAreAskedFor) {
  const auto some = ts::mean(x(), ts::axis<1>)(ts::slice(0, 7)) + 1.0;
  EXPECT_EQ(rows_of({.crop = false, .fuse_epilogues = false}, some),
            (list{"mean(x) over (60, 40)", "mean + 1 over (7,)"}));
  EXPECT_EQ(rows_of({.fuse_epilogues = false}, some),
            (list{"mean(x) over (10, 40)", "mean + 1 over (7,)"}));
  const auto values = cropped(some, 24, 4);
  for (index_t i = 0; i < 7; ++i) {
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(i, j);
    EXPECT_DOUBLE_EQ(values(i), sum / columns + 1);
  }
}

TEST_F(Crop, TakesWhatLiesBetweenBackwardsAndByStep) {
  // Rows 33, 30, ..., 15: in blocks 10 to 40.
  const auto some = ts::sum(x(), ts::axis<1>)(ts::slice(33, 14, -3));
  EXPECT_EQ(rows_of({}, some).front(), "sum(x) over (30, 40)");
  const auto values = cropped(some, 24, 12);
  for (index_t k = 0; k < 7; ++k) {
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(33 - 3 * k, j);
    EXPECT_EQ(values(k), sum);
  }
}

TEST_F(Crop, OfAProductReadsRowsOfOneAndColumnsOfTheOther) {
  const auto corner =
      ts::matmul(x(), ts::matrix_transpose(x()))(ts::slice(2, 5), ts::slice(50, 60));
  // Without, all 24 chunks are read, by one copy for both operands.
  const auto values = cropped(corner, 24, 8);
  for (index_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(2 + i, j) * element(54, j);
    EXPECT_EQ(values(i, 4), sum);
  }
  // One tile of (10, 10) is computed.
  EXPECT_EQ(rows_of({}, corner).front(), "matmul(x, x) over (10, 10, 40)");
}

// A slice has the elements of the whole product, bit by bit.
TEST_F(Crop, OfAProductComputesWholeTiles) {
  const auto product = ts::matmul(x(), ts::matrix_transpose(x()));
  const auto most = product(ts::slice(2, 8), ts::slice(50, 60));
  EXPECT_EQ(rows_of({}, most).front(), "matmul(x, x) over (10, 10, 40)");
  const auto part = most.compute();
  const auto whole = product.compute();
  for (index_t i = 0; i < 6; ++i) {
    for (index_t j = 0; j < 10; ++j) ASSERT_EQ(part(i, j), whole(2 + i, 50 + j)) << i << ", " << j;
  }
}

TEST_F(Crop, OfAScanTakesWholeLines) {
  const auto some = ts::cumulative_sum(x(), ts::axis<0>)(ts::slice(55, 60), ts::slice(12, 14));
  const auto values = cropped(some, 24, 6);
  double sum = 0;
  for (index_t i = 0; i < 58; ++i) sum += element(i, 13);
  EXPECT_EQ(values(2, 1), sum);
}

TEST_F(Crop, GoesBackThroughAllThatIsReadForIt) {
  // Columns 10 to 20 of the mean need these columns of the scan, which needs them of x.
  const ts::array<double, 2> sums = ts::cumulative_sum(x(), ts::axis<0>);
  const auto some =
      ts::max(sums, ts::axis<0>)(ts::slice(10, 20)) + ts::min(sums, ts::axis<0>)(ts::slice(10, 20));
  (void)cropped(some, 24, 6);
}

TEST_F(Crop, TakesTheHullOfWhatReadersNeed) {
  const ts::array<double, 1> mean = ts::mean(x(), ts::axis<1>);
  const auto product = mean(ts::slice(10, 15)) * mean(ts::slice(35, 40));
  EXPECT_EQ(rows_of({.fuse_epilogues = false}, product).front(), "mean(x) over (30, 40)");
  (void)cropped(product, 24, 12);
}

TEST_F(Crop, MakesWhatLiesFarApartByItself) {
  const auto mean = ts::mean(x(), ts::axis<1>);
  const auto first = mean(ts::slice(0, 5)) + 1.0;
  const auto last = mean(ts::slice(52, 60)) + 2.0;
  EXPECT_EQ(rows_of({.fuse_epilogues = false}, first, last),
            (list{"mean(x) over (10, 40)", "mean + 1 over (5,)", "mean(x) over (10, 40)",
                  "mean + 2 over (8,)"}));
  const ts::plan plan(first, last);
  const long before = store_->num_reads();
  const auto [a, b] = plan.compute();
  EXPECT_EQ(store_->num_reads() - before, 8);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{8 * 800});
  const auto mean_of = [](index_t i) {
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) sum += element(i, j);
    return sum / columns;
  };
  for (index_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(a(i), mean_of(i) + 1);
  for (index_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(b(i), mean_of(52 + i) + 2);
}

TEST_F(Crop, MakesWhatOneReaderTakesFromFarApartByItself) {
  const auto mean = ts::mean(x(), ts::axis<1>);
  const auto values = cropped(mean(ts::slice(50, 60)) - mean(ts::slice(0, 10)), 24, 8);
  for (index_t i = 0; i < 10; ++i) {
    double difference = 0;
    for (index_t j = 0; j < columns; ++j) difference += element(50 + i, j) - element(i, j);
    EXPECT_NEAR(values(i), difference / columns, 1e-9 * std::abs(difference));
  }
}

TEST_F(Crop, GoesBackFromEachOfWhatLiesFarApart) {
  // A fold of a scan of a fold: each part goes back to the rows that it is of.
  const auto sums = ts::sum(ts::cumulative_sum(x(), ts::axis<1>) * 2.0, ts::axis<1>);
  (void)cropped(sums(ts::slice(0, 3)) + sums(ts::slice(57, 60)), 24, 8);
}

// Columns 0, 4 and 8 are in the same chunks.
TEST_F(Crop, MakesTogetherWhatIsOfTheSameChunks) {
  const auto lines = ts::rechunk(x(), {rows, 1});
  const auto sums = [&](index_t j) {
    return ts::cumulative_sum(lines(ts::whole, ts::slice(j, j + 1)), ts::axis<0>);
  };
  const ts::plan plan(sums(0), sums(4), sums(8));
  const long before = store_->num_reads();
  const auto [first, middle, last] = plan.compute();
  EXPECT_EQ(store_->num_reads() - before, 6);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{6 * 800});
  double sum = 0;
  for (index_t i = 0; i < rows; ++i) {
    sum += element(i, 8);
    EXPECT_EQ(last(i, 0), sum);
  }
}

TEST_F(Crop, KeepsWhatIsAskedForWhole) {
  const ts::array<double, 1> mean = ts::mean(x(), ts::axis<1>);
  const auto some = mean(ts::slice(0, 10)) * 2.0;
  EXPECT_EQ(rows_of({}, mean, some), rows_of({.crop = false}, mean, some));
}

TEST_F(Crop, LeavesAFoldBesideOneThatReadsAll) {
  // x is read once for both.
  const auto whole = ts::mean(x(), ts::axis<1>);
  const auto part = ts::stddev(x(), ts::axis<1>)(ts::slice(0, 10)) * 2.0;
  const auto plan = ts::plan(whole, part);
  EXPECT_EQ(plan.bytes_read(), ts::bytes{24 * 800});
  const list operations = rows_of({}, whole, part);
  EXPECT_EQ(operations.size(), 2U);
  EXPECT_NE(operations.front().find(", "), std::string::npos) << "both walk as one";
  EXPECT_NE(operations.front().find(" over (60, 40)"), std::string::npos);
}

TEST_F(Crop, OfARechunkCopiesWhatIsRead) {
  const ts::array<double, 2> lines = ts::rechunk(x(), {rows, 10});
  const auto sums = ts::cumulative_sum(lines, ts::axis<0>)(ts::whole, ts::slice(10, 20));
  EXPECT_EQ(rows_of({.fuse_producers = false, .fuse_epilogues = false}, sums).front(),
            "x over (60, 10)");
  (void)cropped(sums, 24, 6);
}

TEST_F(Crop, KeepsTheDrawsOfRandomArrays) {
  const auto noise = ts::random::uniform<double>({60, 40}, {.chunks = {10, 10}, .seed = 3});
  const ts::array<double, 1> sum = ts::sum(noise, ts::axis<1>);
  const auto whole = sum.compute();
  const auto some = ts::plan(sum(ts::slice(25, 45)) + 0.0).compute();
  for (index_t i = 0; i < 20; ++i) EXPECT_EQ(some(i), whole(25 + i));
  EXPECT_EQ(rows_of({.fuse_epilogues = false}, sum(ts::slice(25, 45)) + 0.0).front(),
            "sum(uniform) over (30, 40)");
}

TEST_F(Crop, SaysWhatItMakesAndWhatItLeaves) {
  const auto some = ts::sum(x(), ts::axis<1>)(ts::slice(0, 10)) + 1.0;
  const ts::plan_explanation told = ts::plan(some).explain();
  EXPECT_NE(told.to_string().find("done    'sum': computes [0:10, 0:40] of (60, 40)"),
            std::string::npos)
      << told;
}

}  // namespace
