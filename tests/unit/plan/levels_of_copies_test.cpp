// SPDX-License-Identifier: Apache-2.0

/// \file
/// Levels of a pyramid whose base is a copy of a stored image, and means between stored levels.

#include "tessera/tessera.hpp"

#include "unit/plan/stored_image.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

namespace ts = tessera;
using ts::index_t;
using matrix = ts::array<double, 2>;

/// Returns the means of 2 x 2 elements.
matrix halved(const matrix& y) { return ts::coarsen(ts::op::mean{}, y, {2, 2}); }

class LevelsOfCopies : public ts::test::stored_image {
 protected:
  /// Returns the greatest element of a block of 2 x 2.
  static double greatest_at(index_t i, index_t j) {
    return std::max({element(2 * i, 2 * j), element(2 * i, 2 * j + 1), element(2 * i + 1, 2 * j),
                     element(2 * i + 1, 2 * j + 1)});
  }
};

TEST_F(LevelsOfCopies, ReadTheSourceOnce) {
  const auto run_with = [&](const ts::pass_switches& passes) {
    return run(passes, to("0", open("x")), to("1", halved(open("x"))));
  };
  const counted apart = run_with({.fuse_levels = false});
  EXPECT_EQ(apart.operations.size(), 2U);
  EXPECT_EQ(apart.read, 2 * all_chunks);
  const counted together = run_with({});
  EXPECT_EQ(together.operations.size(), 1U);
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
  EXPECT_EQ(together.operations.size(), 1U);
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
