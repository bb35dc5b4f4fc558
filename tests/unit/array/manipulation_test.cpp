// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/manipulation.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/differences.hpp"
#include "tessera/array/editing.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

// The expected values are NumPy's.

/// 0, 1, ... in row-major order.
template <std::size_t N>
array<int, N> counted(const std::array<index_t, N>& shape, chunk_lengths chunks = automatic) {
  ndarray<int, N> values(shape);
  int next = 0;
  for (int& value : values.span()) value = next++;
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

array<int, 3> cube() { return counted<3>({2, 3, 4}, {1, 2, 3}); }

TEST(Manipulation, PermutesAxes) {
  const auto x = cube();
  expect_values<int, 3>(
      (permute_dims(x, axis<2, 0, 1>)).compute(), {4, 2, 3},
      {0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23});
  expect_values<int, 3>(
      (matrix_transpose(x)).compute(), {2, 4, 3},
      {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23});
  expect_values<int, 3>((permute_dims(permute_dims(x, axis<2, 0, 1>), axis<1, 2, 0>) - x).compute(),
                        {2, 3, 4},
                        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST(Manipulation, AddsAndRemovesAxes) {
  const auto x = cube();
  EXPECT_EQ(expand_dims(x, axis<0>).shape(), (std::array<index_t, 4>{1, 2, 3, 4}));
  EXPECT_EQ((expand_dims(x, axis<-1, 1>).shape()), (std::array<index_t, 5>{2, 1, 3, 4, 1}));
  EXPECT_EQ(squeeze(expand_dims(x, axis<1>), axis<1>).compute(), x.compute());
  expect_error<shape_error>([&] { static_cast<void>(squeeze(x, axis<1>)); },
                            {"squeeze", "axis 1", "(2, 3, 4)", "extent 3"});
}

TEST(Manipulation, Flips) {
  const auto x = cube();
  expect_values<int, 3>(
      (flip(x)).compute(), {2, 3, 4},
      {23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  expect_values<int, 3>(
      (flip(x, axis<1>)).compute(), {2, 3, 4},
      {8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15});
  expect_values<int, 3>(
      (flip(x, axis<0, -1>)).compute(), {2, 3, 4},
      {15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8});
}

TEST(Manipulation, BroadcastsTo) {
  const auto x = counted<2>({3, 1});
  expect_values<int, 3>(broadcast_to(x, {2, 3, 2}).compute(), {2, 3, 2},
                        {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(broadcast_to(x, {2, 2}));
      },
      {"broadcast_to", "(3, 1)", "(2, 2)"});
  expect_error<shape_error>([&] { static_cast<void>(broadcast_to(counted<1>({3}), {1})); },
                            {"broadcast_to", "(3,)", "(1,)"});
}

TEST(Manipulation, ConcatenatesAlongAnAxis) {
  const auto x = cube();
  const auto y = counted<3>({2, 1, 4});
  expect_values<int, 3>((concat(x, y, axis<1>)).compute(), {2, 4, 4},
                        {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 0, 1, 2, 3,
                         12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 4, 5, 6, 7});
  expect_values<int, 3>(
      (concat(x, x * 10)).compute(), {4, 3, 4},
      {0,  1,  2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
       16, 17, 18,  19,  20,  21,  22,  23,  0,   10,  20,  30,  40,  50,  60,  70,
       80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210, 220, 230});
  expect_values<double, 2>(
      (concat(x(0), y(1, ellipsis) + 0.5, x(1), axis<0>)).compute(), {7, 4},
      {0.0, 1.0, 2.0,  3.0,  4.0,  5.0,  6.0,  7.0,  8.0,  9.0,  10.0, 11.0, 4.5,  5.5,
       6.5, 7.5, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0});
  expect_values<int, 3>(
      (concat(x, x(whole, whole, slice(0, 0)), axis<-1>)).compute(), {2, 3, 4},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  expect_error<shape_error>([&] { static_cast<void>(concat(x, y, axis<0>)); },
                            {"concat", "(2, 3, 4)", "(2, 1, 4)", "axis 0"});
}

TEST(Manipulation, ConcatenatesAsManyArraysAsThereAre) {
  std::vector<array<int, 2>> rows;
  for (int i = 0; i < 5; ++i) rows.push_back(counted<2>({1, 3}) + 10 * i);
  expect_values<int, 2>(concat(rows).compute(), {5, 3},
                        {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42});
  expect_values<std::int64_t, 1>(sum(concat({rows[1], rows[2]}, axis<1>), axis<0>).compute(), {6},
                                 {10, 11, 12, 20, 21, 22});
  EXPECT_EQ(stack(rows, axis<1>).shape(), (std::array<index_t, 3>{1, 5, 3}));
  expect_error<value_error>([] { static_cast<void>(concat(std::vector<array<int, 2>>{})); },
                            {"concat", "at least one"});
}

TEST(Manipulation, Stacks) {
  const auto x = counted<2>({2, 3}, {1, 2});
  expect_values<int, 3>((stack(x, x + 100)).compute(), {2, 2, 3},
                        {0, 1, 2, 3, 4, 5, 100, 101, 102, 103, 104, 105});
  expect_values<int, 3>((stack(x, 2 * x, 3 * x, axis<-1>)).compute(), {2, 3, 3},
                        {0, 0, 0, 1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12, 5, 10, 15});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(stack(x, counted<2>({3, 2})));
      },
      {"stack", "(2, 3)", "(3, 2)"});
}

TEST(Manipulation, SplitsAndBroadcastsWhatFits) {
  const auto x = counted<2>({7, 6});
  EXPECT_EQ(split(x, {1, 4}).size(), 3U);
  EXPECT_EQ(array_split(x, {1}).size(), 2U);
  EXPECT_EQ(unstack(x, axis<-1>).size(), 6U);
  EXPECT_TRUE(unstack(x(slice(0))).empty());
  expect_error<shape_error>([&] { static_cast<void>(split(x, 3)); },
                            {"split", "3 sections", "axis 0", "(7, 6)", "array_split"});
  expect_error<value_error>([&] { static_cast<void>(array_split(x, 0)); },
                            {"array_split", "0 sections", "at least 1"});
  EXPECT_EQ(broadcast_shapes(std::array<index_t, 2>{3, 1}, std::array<index_t, 3>{2, 1, 5}),
            (std::array<index_t, 3>{2, 3, 5}));
  EXPECT_EQ(broadcast_shapes(), (std::array<index_t, 0>{}));
  expect_error<shape_error>(
      [] {
        static_cast<void>(
            broadcast_shapes(std::array<index_t, 1>{3}, std::array<index_t, 2>{2, 4}));
      },
      {"broadcast_shapes", "(3,)", "(2, 4)"});
}

TEST(Manipulation, EditsStayWithinTheArray) {
  const auto x = counted<2>({4, 6}, {2, 3});
  EXPECT_EQ(with(x, at(1), 0).chunks(), x.chunks());
  expect_error<shape_error>([&] { static_cast<void>(with(x, at(whole, 6), 0)); },
                            {"index 6", "axis 1", "(4, 6)"});
  expect_error<value_error>([&] { static_cast<void>(with(x, at(slice(0, 4, 2)), 0)); },
                            {"with", "axis 0", "step 2", "where"});
  expect_error<shape_error>([&] { static_cast<void>(with(x, at(0), counted<1>({5}))); },
                            {"(5,)", "(6,)"});
  expect_error<value_error>([&] { static_cast<void>(erase(x, slice(0, 6, 3), axis<1>)); },
                            {"erase", "axis 1", "step 3"});
  expect_error<shape_error>([&] { static_cast<void>(insert(x, 5, 0)); },
                            {"insert", "index 5", "axis 0", "(4, 6)", "[-4, 4]"});
}

TEST(Manipulation, DifferencesNeedNeighbours) {
  const auto x = zeros<double>({2, 5});
  expect_error<value_error>([&] { static_cast<void>(diff(x, -1)); }, {"diff", "order -1"});
  expect_error<shape_error>([&] { static_cast<void>(gradient(x, axis<0>, edge_order<2>)); },
                            {"gradient", "axis 0", "(2, 5)", "extent 2", "take 3"});
  expect_error<shape_error>([&] { static_cast<void>(gradient(x, zeros({4}), axis<1>)); },
                            {"gradient", "4 coordinates", "axis 1", "(2, 5)"});
  expect_error<value_error>([] { static_cast<void>(fftfreq(0)); }, {"fftfreq", "length 0"});
}

TEST(Manipulation, ArgumentsMayBeAtTheLimitsOfIndices) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  constexpr index_t least = std::numeric_limits<index_t>::min();
  EXPECT_EQ(diff(zeros<double>({5}), most).compute(), (ndarray<double, 1>({0})));
  EXPECT_EQ(diff(zeros<double>({2, 5}), most, axis<0>).compute(), (ndarray<double, 2>({0, 5})));
  const auto v = ones<double>({3});
  expect_error<shape_error>([&] { static_cast<void>(diag(v, most)); }, {"diag", "3 elements"});
  expect_error<shape_error>([&] { static_cast<void>(diag(v, least)); }, {"diag", "3 elements"});
  expect_error<shape_error>([&] { static_cast<void>(linspace(0, 1, least)); }, {"linspace"});
  EXPECT_EQ(linspace(0, 1, 0).compute(), (ndarray<double, 1>({0})));
}

TEST(Manipulation, RechunkKeepsValues) {
  const auto x = cube();
  const auto y = rechunk(x, {2, 1, 4});
  EXPECT_EQ(y.chunks(), (std::array<index_t, 3>{2, 1, 4}));
  EXPECT_EQ(y.compute(), x.compute());
  EXPECT_EQ(rechunk(x + 1, {2, whole, 3}).chunks(), (std::array<index_t, 3>{2, 3, 3}));
  EXPECT_EQ(rechunk(x + 1, {2, 3, 3}).compute(), (x + 1).compute());
  expect_error<shape_error>(
      [&] {
        static_cast<void>(rechunk(x, {2, 2}));
      },
      {"rechunk", "2 chunk lengths", "(2, 3, 4)"});
  expect_error<value_error>(
      [&] {
        static_cast<void>(rechunk(x, {2, 0, 2}));
      },
      {"rechunk", "axis 1", "0"});
}

TEST(Indexing, SelectsAsPythonDoes) {
  const auto x = cube();
  expect_values<int, 2>((x(0)).compute(), {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_values<int, 1>((x(-1, 1)).compute(), {4}, {16, 17, 18, 19});
  expect_values<int, 0>((x(1, 2, 3)).compute(), {}, {23});
  expect_values<int, 3>((x(whole, slice(1, 3))).compute(), {2, 2, 4},
                        {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23});
  expect_values<int, 2>((x(ellipsis, 0)).compute(), {2, 3}, {0, 4, 8, 12, 16, 20});
  expect_values<int, 2>((x(0, ellipsis, slice(none, none, 2))).compute(), {3, 2},
                        {0, 2, 4, 6, 8, 10});
  expect_values<int, 2>((x(whole, 1, slice(none, none, -1))).compute(), {2, 4},
                        {7, 6, 5, 4, 19, 18, 17, 16});
  expect_values<int, 3>((x(whole, whole, slice(-1, none, -2))).compute(), {2, 3, 2},
                        {3, 1, 7, 5, 11, 9, 15, 13, 19, 17, 23, 21});
  expect_values<int, 3>((x(whole, newaxis, 0, slice(2))).compute(), {2, 1, 2}, {0, 1, 12, 13});
  expect_values<int, 5>(
      (x(newaxis, ellipsis, newaxis)).compute(), {1, 2, 3, 4, 1},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  expect_values<int, 3>((x(slice(5, 9))).compute(), {0, 3, 4}, {});
  expect_values<int, 2>((x(slice(-100, 100), 0, slice(3, 0, -1))).compute(), {2, 3},
                        {3, 2, 1, 15, 14, 13});
  expect_values<int, 3>(
      (x()).compute(), {2, 3, 4},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  expect_values<int, 1>((x(whole, slice(0, 2), whole)(1, whole, slice(1, none))(1)).compute(), {3},
                        {17, 18, 19});
}

TEST(Indexing, AnExpressionIsIndexedLikeAnArray) {
  const auto x = cube();
  expect_values<int, 2>(((x * 2 + 1)(1, slice(none, none, -1))).compute(), {3, 4},
                        {41, 43, 45, 47, 33, 35, 37, 39, 25, 27, 29, 31});
  expect_values<int, 1>(((x(0) + x(1))(2)).compute(), {4}, {28, 30, 32, 34});
  expect_values<int, 3>(
      (x + x(whole, slice(0, 1), whole)).compute(), {2, 3, 4},
      {0, 2, 4, 6, 4, 6, 8, 10, 8, 10, 12, 14, 24, 26, 28, 30, 28, 30, 32, 34, 32, 34, 36, 38});
  expect_values<int, 2>((matmul(x(0), matrix_transpose(x(1)))).compute(), {3, 3},
                        {86, 110, 134, 302, 390, 478, 518, 670, 822});
  expect_values<int, 2>((matmul((x * 2)(0, slice(1, 3)), permute_dims(x(1), axis<1, 0>))).compute(),
                        {2, 3}, {604, 780, 956, 1036, 1340, 1644});
}

TEST(Indexing, AnIndexOutOfRangeIsRefused) {
  const auto x = cube();
  expect_error<shape_error>([&] { static_cast<void>(x(0, 3)); },
                            {"index 3", "axis 1", "(2, 3, 4)", "[-3, 3)"});
  expect_error<shape_error>([&] { static_cast<void>(x(-3)); }, {"index -3", "axis 0", "[-2, 2)"});
  expect_error<value_error>([&] { static_cast<void>(x(slice(0, 2, 0))); }, {"step 0"});
}

TEST(Indexing, BlocksAreWholeChunks) {
  const auto x = zeros<float>({7, 5}, {.chunks = {3, 2}});
  EXPECT_EQ(x.blocks(1).chunks(), (std::array<index_t, 2>{3, 2}));
  EXPECT_EQ(x.blocks(-1, slice(1, none)).shape(), (std::array<index_t, 2>{1, 3}));
  expect_error<shape_error>([&] { static_cast<void>(x.blocks(3)); },
                            {"blocks", "index 3", "axis 0", "(3, 3)", "[-3, 3)"});
  expect_error<value_error>([&] { static_cast<void>(x.blocks(whole, slice(0, 3, 2))); },
                            {"blocks", "axis 1", "step 2"});
}

TEST(Indexing, ArraysTellTheirSizesInNumPysWords) {
  const auto x = zeros<float>({7, 5});
  static_assert(decltype(x)::ndim == 2 && decltype(x + 1)::itemsize == 4);
  EXPECT_EQ(x.nbytes(), 140);
  EXPECT_EQ(x(0, 0).nbytes(), 4);
  EXPECT_EQ(zeros<complex128>({index_t{1} << 40, index_t{1} << 20}).nbytes(),
            std::numeric_limits<index_t>::max());
}

TEST(Indexing, ChunksShrinkWithTheStep) {
  const auto x = zeros<double>({100, 100}, {.chunks = {10, 20}});
  EXPECT_EQ(x(slice(0, 100, 3), 5).chunks(), (std::array<index_t, 1>{4}));
  EXPECT_EQ(x(slice(0, 5), newaxis).chunks(), (std::array<index_t, 3>{5, 1, 20}));
}

}  // namespace
}  // namespace tessera
