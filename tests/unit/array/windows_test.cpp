// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/windows.hpp"

#include "tessera/core/error.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

// The expected values are NumPy's.

/// 0, 1, ... in row-major order.
template <std::size_t N>
array<int, N> counted(const std::array<index_t, N>& shape, chunk_lengths chunks) {
  ndarray<int, N> values(shape);
  int next = 0;
  for (int& value : values.span()) value = next++;
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

TEST(Windows, AreNumPysSlidingWindows) {
  // sliding_window_view(np.arange(12).reshape(3, 4), 3, axis=1)
  const auto x = counted<2>({3, 4}, {2, 3});
  expect_values<int, 3>(sliding_window_view(x, 3, axis<1>).compute(), {3, 2, 3},
                        {0, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6, 7, 8, 9, 10, 9, 10, 11});
  // sliding_window_view(np.arange(12).reshape(3, 4), (2, 3), axis=(0, 1)).sum((-2, -1))
  expect_values<std::int64_t, 2>(
      sum(sliding_window_view(x, {2, 3}, axis<0, 1>), axis<-2, -1>).compute(), {2, 2},
      {18, 24, 42, 48});
  // sliding_window_view(np.arange(12).reshape(3, 4).T[::-1], 2, axis=0)[..., ::-1]
  const auto turned = flip(permute_dims(x, axis<1, 0>), axis<0>);
  expect_values<int, 3>(flip(sliding_window_view(turned, 2, axis<-2>), axis<2>).compute(),
                        {3, 3, 2}, {2, 3, 6, 7, 10, 11, 1, 2, 5, 6, 9, 10, 0, 1, 4, 5, 8, 9});
  EXPECT_EQ(sliding_window_view(x, 4, axis<1>).shape(), (std::array<index_t, 3>{3, 1, 4}));
}

TEST(Windows, OfWindowsAddUp) {
  // sliding_window_view(sliding_window_view(np.arange(7), 3), 2, axis=0)
  const auto x = counted<1>({7}, {3});
  expect_values<int, 3>(
      sliding_window_view(sliding_window_view(x, 3, axis<0>), 2, axis<0>).compute(), {4, 3, 2},
      {0, 1, 1, 2, 2, 3, 1, 2, 2, 3, 3, 4, 2, 3, 3, 4, 4, 5, 3, 4, 4, 5, 5, 6});
}

TEST(Windows, LongerThanTheAxisAreRefused) {
  const auto x = counted<2>({3, 4}, {2, 3});
  expect_error<shape_error>([&] { static_cast<void>(sliding_window_view(x, 5, axis<1>)); },
                            {"sliding_window_view", "window of 5", "axis 1", "(3, 4)", "the 4"});
  expect_error<shape_error>([&] { static_cast<void>(sliding_window_view(x, 0, axis<1>)); },
                            {"window of 0", "at least 1"});
}

TEST(Windows, MoreThanThreeDeepAreRefused) {
  const auto x = counted<1>({20}, {6});
  const auto once = sliding_window_view(x, 3, axis<0>);
  const auto twice = sliding_window_view(once, 3, axis<0>);
  const auto thrice = sliding_window_view(twice, 3, axis<0>);
  expect_error<shape_error>([&] { static_cast<void>((thrice + 1).compute()); },
                            {"more than 3", "store or rechunk the inner view"});
  EXPECT_EQ((sliding_window_view(rechunk(twice, {4, 3, 3}), 3, axis<0>) + 1).compute()(1, 2, 1, 2),
            1 + 2 + 1 + 2 + 1);
}

TEST(Diagonal, IsNumPys) {
  const auto x = counted<3>({2, 3, 4}, {1, 2, 3});
  // x = np.arange(24).reshape(2, 3, 4); x.diagonal(), x.diagonal(1, 1, 2), x.diagonal(-2, 1, 2)
  expect_values<int, 2>(diagonal(x).compute(), {4, 2}, {0, 16, 1, 17, 2, 18, 3, 19});
  expect_values<int, 2>(diagonal(x, 1, axis<1, 2>).compute(), {2, 3}, {1, 6, 11, 13, 18, 23});
  expect_values<int, 2>(diagonal(x, -2, axis<1, 2>).compute(), {2, 1}, {8, 20});
  EXPECT_EQ(diagonal(x, 9, axis<1, 2>).shape(), (std::array<index_t, 2>{2, 0}));
  EXPECT_EQ(diagonal(x, -9).compute().shape(), (std::array<index_t, 2>{4, 0}));
  // np.trace(x), np.trace(x, 1, -1, -2)
  expect_values<std::int64_t, 1>(trace(x).compute(), {4}, {16, 18, 20, 22});
  expect_values<std::int64_t, 1>(trace(x, 1, axis<-1, -2>).compute(), {2}, {13, 37});
}

TEST(Coarsen, FoldsBlocks) {
  // x = np.arange(24).reshape(4, 6); x.reshape(2, 2, 2, 3).max((1, 3)), ....mean((1, 3))
  const auto x = counted<2>({4, 6}, {3, 4});
  expect_values<int, 2>(coarsen(op::max{}, x, {2, 3}).compute(), {2, 2}, {8, 11, 20, 23});
  expect_values<double, 2>(coarsen(op::mean{}, astype<double>(x), {2, 3}).compute(), {2, 2},
                           {4, 7, 16, 19});
  expect_values<int, 2>(coarsen(op::min{}, x, {1, 6}).compute(), {4, 1}, {0, 6, 12, 18});
  EXPECT_EQ(coarsen(op::sum{}, x(slice(0, 0)), {2, 3}).compute().shape(),
            (std::array<index_t, 2>{0, 2}));
}

TEST(Coarsen, RefusesBlocksThatDoNotDivide) {
  const auto x = counted<2>({4, 7}, {3, 4});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(coarsen(op::mean{}, x, {2, 3}));
      },
      {"coarsen", "blocks of 3", "axis 1", "(4, 7)", "last 1", "slice(0, 6)"});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(coarsen(op::mean{}, x, {2, -1}));
      },
      {"blocks of -1", "at least 1 element"});
}

TEST(Filters, RefuseWeightsThatLieNowhere) {
  const auto x = astype<double>(counted<2>({4, 7}, {3, 4}));
  expect_error<shape_error>(
      [&] { static_cast<void>(correlate(x, std::vector<double>(5, 1.0), axis<0>)); },
      {"correlate", "5 weights", "elements, 4", "overlap::full"});
  expect_error<shape_error>([&] { static_cast<void>(convolve(x, {}, axis<0>)); },
                            {"convolve", "0 weights", "at least one"});
  expect_error<value_error>([&] { static_cast<void>(gaussian_filter(x, -1)); },
                            {"gaussian_filter", "sigma is -1"});
  expect_error<shape_error>([&] { static_cast<void>(uniform_filter(x, 0)); },
                            {"uniform_filter", "0 weights"});
}

}  // namespace
}  // namespace tessera
