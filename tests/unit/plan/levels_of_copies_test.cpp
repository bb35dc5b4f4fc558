// SPDX-License-Identifier: Apache-2.0

/// \file
/// Levels of a pyramid whose base is a copy of a stored image, and means between stored levels.
///
/// x is 48 x 64 float64 in 6 x 8 compressed chunks of 8 x 8; its store, which also receives the
/// results, counts.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace {

namespace ts = tessera;
using ts::index_t;
using matrix = ts::array<double, 2>;

constexpr index_t rows = 48;
constexpr index_t columns = 64;
constexpr long all_chunks = 48;

double element(index_t i, index_t j) { return static_cast<double>(i * i - 3 * i * j + 2 * j); }

/// The mean of a block of `width` x `width` elements: exact, as their sum is an integer and `width`
/// a power of two.
double mean_at(index_t width, index_t i, index_t j) {
  double sum = 0;
  for (index_t a = 0; a < width; ++a) {
    for (index_t b = 0; b < width; ++b) sum += element(width * i + a, width * j + b);
  }
  return sum / static_cast<double>(width * width);
}

/// The greatest of a block of 2 x 2 elements.
double greatest_at(index_t i, index_t j) {
  return std::max({element(2 * i, 2 * j), element(2 * i, 2 * j + 1), element(2 * i + 1, 2 * j),
                   element(2 * i + 1, 2 * j + 1)});
}

/// Returns the means of 2 x 2 elements.
matrix halved(const matrix& y) { return ts::coarsen(ts::op::mean{}, y, {2, 2}); }

class LevelsOfCopies : public ::testing::Test {
 protected:
  LevelsOfCopies() {
    ts::ndarray<double, 2> values({rows, columns});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) values(i, j) = element(i, j);
    }
    ts::store(ts::asarray(std::move(values), {.chunks = {8, 8}}), store_, "x",
              {.compressor = ts::codec::zlib{}});
  }

  [[nodiscard]] matrix open(const std::string& name) const {
    return ts::open<double, 2>(store_, name);
  }

  template <class E>
  [[nodiscard]] auto to(const std::string& name, const E& e) const {
    return ts::stored(e, store_, name, {.compressor = ts::codec::zlib{}});
  }

  /// The operations of a plan, and the chunks that its run reads and writes.
  struct counted {
    std::size_t operations = 0;
    long read = 0;
    long written = 0;
  };

  template <class... Outputs>
  counted run(const ts::pass_switches& passes, const Outputs&... outputs) {
    const ts::plan plan(passes, outputs...);
    counted counts{plan.num_operations(), store_->num_reads(), store_->num_writes()};
    plan.execute();
    counts.read = store_->num_reads() - counts.read;
    counts.written = store_->num_writes() - counts.written;
    return counts;
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
};

TEST_F(LevelsOfCopies, ReadTheSourceOnce) {
  const auto run_with = [&](const ts::pass_switches& passes) {
    return run(passes, to("0", open("x")), to("1", halved(open("x"))));
  };
  const counted apart = run_with({.fuse_levels = false});
  EXPECT_EQ(apart.operations, 2U);
  EXPECT_EQ(apart.read, 2 * all_chunks);
  const counted together = run_with({});
  EXPECT_EQ(together.operations, 1U);
  EXPECT_EQ(together.read, all_chunks);
  EXPECT_EQ(together.written, apart.written);
  const ts::ndarray<double, 2> base = open("0").compute();
  const ts::ndarray<double, 2> first = open("1").compute();
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_EQ(base(i, j), element(i, j)) << i << ' ' << j;
      ASSERT_EQ(first(i / 2, j / 2), mean_at(2, i / 2, j / 2)) << i << ' ' << j;
    }
  }
}

// The means are rounded before they are stored; the next mean reads them as they are.
TEST_F(LevelsOfCopies, KeepMeansBetweenStoredLevelsInTheTask) {
  const matrix first = halved(open("x"));
  const matrix second = halved(first);
  const counted together = run({}, to("0", open("x")), to("1", ts::floor(first)),
                               to("2", ts::floor(second)), to("3", halved(second)));
  EXPECT_EQ(together.operations, 1U);
  EXPECT_EQ(together.read, all_chunks);
  const ts::ndarray<double, 2> of_first = open("1").compute();
  const ts::ndarray<double, 2> of_second = open("2").compute();
  const ts::ndarray<double, 2> third = open("3").compute();
  for (index_t i = 0; i < rows / 2; ++i) {
    for (index_t j = 0; j < columns / 2; ++j) {
      ASSERT_EQ(of_first(i, j), std::floor(mean_at(2, i, j))) << i << ' ' << j;
      ASSERT_EQ(of_second(i / 2, j / 2), std::floor(mean_at(4, i / 2, j / 2))) << i << ' ' << j;
      ASSERT_EQ(third(i / 4, j / 4), mean_at(8, i / 4, j / 4)) << i << ' ' << j;
    }
  }
}

// The copy is no output any more once its readers, the means, are levels.
TEST_F(LevelsOfCopies, AreNotComputedFromAnArrayInThePlaceOfTheCopy) {
  const matrix x = open("x");
  const matrix copy = ts::rechunk(x, {16, 16});
  run({}, to("greatest", ts::coarsen(ts::op::max{}, x, {2, 2})), to("1", halved(copy)),
      to("2", ts::coarsen(ts::op::mean{}, copy, {4, 4})), to("root", ts::sqrt(x * x)));
  const ts::ndarray<double, 2> greatest = open("greatest").compute();
  const ts::ndarray<double, 2> root = open("root").compute();
  const ts::ndarray<double, 2> first = open("1").compute();
  const ts::ndarray<double, 2> second = open("2").compute();
  for (index_t i = 0; i < rows / 2; ++i) {
    for (index_t j = 0; j < columns / 2; ++j) {
      ASSERT_EQ(greatest(i, j), greatest_at(i, j)) << i << ' ' << j;
      ASSERT_EQ(root(2 * i, j), std::abs(element(2 * i, j))) << i << ' ' << j;
      ASSERT_EQ(first(i, j), mean_at(2, i, j)) << i << ' ' << j;
      ASSERT_EQ(second(i / 2, j / 2), mean_at(4, i / 2, j / 2)) << i << ' ' << j;
    }
  }
}

}  // namespace
