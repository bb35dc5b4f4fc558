// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/ndarray_view.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/kernel/eigen.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;

/// numpy.arange(12).reshape(3, 4)
ndarray<int, 2> counting() {
  return ndarray<int, 2>::of({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}});
}

// The expected values come from NumPy's slices.

TEST(NdarrayView, SlicesAsNumpyDoes) {
  const ndarray<int, 2> m = counting();
  EXPECT_EQ(m(whole, 3), (ndarray<int, 1>::of({3, 7, 11})));
  EXPECT_EQ(m(1), (ndarray<int, 1>::of({4, 5, 6, 7})));
  EXPECT_EQ(m[-1], (ndarray<int, 1>::of({8, 9, 10, 11})));
  EXPECT_EQ(m(slice(0, 3, 2), slice(none, none, -1)),
            (ndarray<int, 2>::of({{3, 2, 1, 0}, {11, 10, 9, 8}})));
  EXPECT_EQ(m(ellipsis, newaxis, slice(1, -1)),
            (ndarray<int, 3>::of({{{1, 2}}, {{5, 6}}, {{9, 10}}})));
  EXPECT_EQ(m(slice(2, 2), whole).shape(), (std::array<index_t, 2>{0, 4}));
  EXPECT_EQ(m(whole, slice(1, 4))(slice(1, 3), 0), (ndarray<int, 1>::of({5, 9})));
}

TEST(NdarrayView, RefusesIndicesOutOfRange) {
  const ndarray<int, 2> m = counting();
  expect_error<shape_error>([&] { static_cast<void>(m(3)); }, {"3", "axis 0"});
  expect_error<value_error>([&] { static_cast<void>(m(slice(0, 2, 0), whole)); }, {"step"});
}

TEST(NdarrayView, WritesThroughToTheArray) {
  ndarray<int, 2> m = counting();
  m(0, 1) = -1;
  m[1][2] = -6;
  m(whole, 0).fill(7);
  m(2, slice(1, 3)) = ndarray<int, 1>::of({20, 30});
  EXPECT_EQ(m, (ndarray<int, 2>::of({{7, -1, 2, 3}, {7, 5, -6, 7}, {7, 20, 30, 11}})));
}

TEST(NdarrayView, AssignsPartsThatOverlap) {
  ndarray<int, 1> x = ndarray<int, 1>::of({0, 1, 2, 3});
  x(slice(1, 4)) = x(slice(0, 3));
  EXPECT_EQ(x, (ndarray<int, 1>::of({0, 0, 1, 2})));
  auto row = x(slice(0, 2));
  row = x(slice(2, 4));  // elements are assigned, as to numpy's x[0:2]; the view stays
  EXPECT_EQ(x, (ndarray<int, 1>::of({1, 2, 1, 2})));
}

TEST(NdarrayView, RefusesToBeAssignedAnotherShape) {
  ndarray<int, 2> m = counting();
  expect_error<shape_error>([&] { m(whole, 0) = ndarray<int, 1>({2}); }, {"(2,)", "(3,)"});
}

TEST(NdarrayView, OfAConstantArrayCannotBeWritten) {
  static_assert(!std::is_assignable_v<decltype(std::declval<const ndarray<int, 2>&>()[0][0]), int>);
  static_assert(std::is_assignable_v<decltype(std::declval<ndarray<int, 2>&>()[0][0]), int>);
  const ndarray<int, 2> m = counting();
  EXPECT_EQ(m(0), counting()(0));
}

TEST(NdarrayView, KeepsTheElementsAliveThatItSees) {
  auto m = std::make_unique<ndarray<int, 2>>(counting());
  const auto column = (*m)(whole, 1);
  m.reset();
  EXPECT_EQ(column, (ndarray<int, 1>::of({1, 5, 9})));
  int sum = 0;
  for (const int value : counting()(whole, 2)) sum += value;
  EXPECT_EQ(sum, 2 + 6 + 10);
}

TEST(NdarrayView, IteratesOverRowsAndElements) {
  ndarray<int, 2> m = counting();
  std::vector<int> sums;
  for (auto row : m) {
    sums.push_back(std::accumulate(row.begin(), row.end(), 0));
    for (int& value : row) value *= 2;
  }
  EXPECT_EQ(sums, (std::vector{6, 22, 38}));
  EXPECT_EQ(m(2, 3), 22);
  int product = 1;
  for (const int value : ndarray<int, 1>::of({2, 3, 5})) product *= value;
  EXPECT_EQ(product, 30);
  EXPECT_EQ(std::accumulate(m.span().begin(), m.span().end(), 0), 132);
}

TEST(NdarrayView, PrintsAsAnArrayOfItsElements) {
  std::ostringstream out;
  out << counting()(whole, slice(1, 3));
  EXPECT_EQ(out.str(), "[[ 1  2]\n [ 5  6]\n [ 9 10]]");
}

TEST(NdarrayView, IsSeenByEigenThroughTheArray) {
  auto m = ndarray<double, 2>::of({{1, 2}, {3, 4}});
  m.eigen()(0, 1) = 5;
  EXPECT_EQ(m(0, 1), 5);
  EXPECT_EQ((std::as_const(m).eigen() * Eigen::Vector2d(1, 1)), Eigen::Vector2d(6, 7));
  EXPECT_EQ((ndarray<double, 1>::of({3, 4}).eigen().norm()), 5);
}

TEST(Ndarray, IsAssignedWhatALazyExpressionComputes) {
  const auto x = full<double>({2, 2}, 3.0);
  ndarray<double, 2> m = x * 2;
  EXPECT_EQ(m, (ndarray<double, 2>::of({{6, 6}, {6, 6}})));
  m = x + 1;
  EXPECT_EQ(m, (ndarray<double, 2>::of({{4, 4}, {4, 4}})));
  m[0] = x(0) * 3;
  EXPECT_EQ(m, (ndarray<double, 2>::of({{9, 9}, {4, 4}})));
}

}  // namespace
}  // namespace tessera
