// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/padding.hpp"

#include "tessera/core/error.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

// The expected values are NumPy's.

array<int, 1> four() { return asarray(ndarray<int, 1>::of({1, 2, 3, 4}), {.chunks = {3}}); }
array<int, 2> two_by_three() {
  return asarray(ndarray<int, 2>::of({{1, 2, 3}, {4, 5, 6}}), {.chunks = {2, 2}});
}

TEST(Pad, ShowsWhatLiesBeyond) {
  const auto padded = [](boundary beyond) { return pad(four(), {{2, 3}}, beyond).compute(); };
  expect_values<int, 1>(padded(boundary::constant), {9}, {0, 0, 1, 2, 3, 4, 0, 0, 0});
  expect_values<int, 1>(padded(boundary::edge), {9}, {1, 1, 1, 2, 3, 4, 4, 4, 4});
  expect_values<int, 1>(padded(boundary::reflect), {9}, {3, 2, 1, 2, 3, 4, 3, 2, 1});
  expect_values<int, 1>(padded(boundary::symmetric), {9}, {2, 1, 1, 2, 3, 4, 4, 3, 2});
  expect_values<int, 1>(padded(boundary::wrap), {9}, {3, 4, 1, 2, 3, 4, 1, 2, 3});
}

TEST(Pad, GoesBeyondEachAxis) {
  const auto x = two_by_three();
  expect_values<int, 2>(pad(x, {{1, 0}, {2, 1}}, boundary::reflect).compute(), {3, 6},
                        {6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5});
  expect_values<int, 2>(pad(x, {{1, 0}, {2, 1}}, boundary::constant, 9).compute(), {3, 6},
                        {9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 9, 4, 5, 6, 9});
  expect_values<int, 2>(pad(x, 1, boundary::wrap).compute(), {4, 5},
                        {6, 4, 5, 6, 4, 3, 1, 2, 3, 1, 6, 4, 5, 6, 4, 3, 1, 2, 3, 1});
  expect_values<int, 2>(
      pad(x, {{0, 3}, {2, 0}}, boundary::edge).compute(), {5, 5},
      {1, 1, 1, 2, 3, 4, 4, 4, 5, 6, 4, 4, 4, 5, 6, 4, 4, 4, 5, 6, 4, 4, 4, 5, 6});
  expect_values<int, 2>((2 * pad(x + 1, {{0, 0}, {0, 0}})).compute(), {2, 3},
                        {4, 6, 8, 10, 12, 14});
}

TEST(Pad, RefusesWhatABoundaryCannotShow) {
  const auto x = two_by_three();
  expect_error<shape_error>(
      [&] {
        static_cast<void>(pad(x, {{0, 0}, {0, 3}}, boundary::reflect));
      },
      {"width of 3", "axis 1", "(2, 3)", "boundary::reflect", "at most 2"});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(pad(x, {{3, 0}, {0, 0}}, boundary::wrap));
      },
      {"width of 3", "axis 0", "boundary::wrap", "at most 2"});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(pad(x, {{3, 0}, {0, 0}}, boundary::symmetric));
      },
      {"boundary::symmetric", "at most 2", "boundary::edge"});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(pad(x, {{0, -1}, {0, 0}}));
      },
      {"width of -1", "axis 0", "slices"});
  const auto nothing = x(slice(0, 0));
  expect_error<shape_error>([&] { static_cast<void>(pad(nothing, 1, boundary::edge)); },
                            {"extent is 0", "only a constant"});
  expect_values<int, 2>(pad(nothing, {{1, 0}, {0, 0}}).compute(), {1, 3}, {0, 0, 0});
}

TEST(Roll, MovesElementsRound) {
  const auto x = two_by_three();
  expect_values<int, 2>(roll(x, 1, axis<1>).compute(), {2, 3}, {3, 1, 2, 6, 4, 5});
  expect_values<int, 2>(roll(x, -4, axis<-1>).compute(), {2, 3}, {2, 3, 1, 5, 6, 4});
  expect_values<int, 2>(roll(x, {1, 2}, axis<0, 1>).compute(), {2, 3}, {5, 6, 4, 2, 3, 1});
  expect_values<int, 1>(roll(four(), 9, axis<0>).compute(), {4}, {4, 1, 2, 3});
  expect_values<int, 2>(roll(x, 0, axis<0>).compute(), {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(roll(x(slice(0, 0)), 5, axis<0>).compute().shape(), (std::array<index_t, 2>{0, 3}));
}

TEST(Pad, IsReadAnewInEachStepThatShowsTheSameElements) {
  // Both steps along a row show all columns of one window, and other windows have taken its place
  // between.
  ndarray<double, 2> values({8, 13});
  for (double& value : values.span()) value = -9;
  values(7, 11) = -8;
  const auto memory = std::make_shared<memory_store>();
  store(asarray(std::move(values), {.chunks = {3, 9}}), memory, "x");
  const auto x = flip(open<double, 2>(memory, "x"), axis<1>);
  expect_values<double, 1>(sum(pad(x, {{1, 1}, {1, 2}}, boundary::wrap), axis<1>).compute(), {10},
                           {-142, -144, -144, -144, -144, -144, -144, -144, -142, -144});
}

// Windows that begin before the array do so between the elements that the step shows.
TEST(Pad, UnderWindowsOfEverySecondElementShowsThese) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(ndarray<int, 1>::of({1, 2, 3, 4, 5, 6, 7, 8}), {.chunks = {3}}), memory, "x");
  const auto every_second = pad(open<int, 1>(memory, "x"), 1)(slice(none, none, 2));
  expect_values<std::int64_t, 1>(
      sum(sliding_window_view(every_second, 2, axis<0>), axis<-1>).compute(), {4}, {2, 6, 10, 14});
}

// A piece of one column has one state in a row, beside states of other columns.
TEST(Pad, FoldsTakeNarrowPiecesIntoTheirOwnStates) {
  const array<int, 2> x = asarray(ndarray<int, 2>::of({{1, 2, 3}, {4, 5, 6}}));
  const auto padded = pad(x, {{0, 0}, {1, 0}}, boundary::edge)(whole, whole, newaxis);
  expect_values<std::int64_t, 2>(sum(padded, axis<-1>).compute(), {2, 4}, {1, 1, 2, 3, 4, 4, 5, 6});
  expect_values<int, 2>(max(padded, axis<-1>).compute(), {2, 4}, {1, 1, 2, 3, 4, 4, 5, 6});
  expect_values<std::int64_t, 2>(argmax(padded, axis<-1>).compute(), {2, 4},
                                 {0, 0, 0, 0, 0, 0, 0, 0});
  expect_values<int, 3>(topk(padded, 1, axis<-1>).compute(), {2, 4, 1}, {1, 1, 2, 3, 4, 4, 5, 6});
  expect_values<std::int64_t, 3>(cumulative_sum(padded, axis<-1>).compute(), {2, 4, 1},
                                 {1, 1, 2, 3, 4, 4, 5, 6});
}

}  // namespace
}  // namespace tessera
