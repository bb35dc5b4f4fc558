// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/blockwise.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/arithmetic.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cstdint>
#include <gmock/gmock.h>
#include <random>
#include <tuple>

namespace tessera {
namespace {

/// Adds the product of two blocks as matrices.
struct add_product {
  template <class T, class U, class R>
  void operator()(block_view<const T, 2> a, block_view<const U, 2> b,
                  block_view<R, 2> result) const {
    for (index_t i = 0; i < a.shape()[0]; ++i) {
      for (index_t k = 0; k < b.shape()[1]; ++k) {
        for (index_t j = 0; j < a.shape()[1]; ++j)
          result(i, k) += static_cast<R>(a(i, j) * b(j, k));
      }
    }
  }
};

/// Writes the sum of `a` and `b`, and the positions of the elements in the array.
struct sum_and_position {
  void operator()(block_view<const double, 2> a, block_view<const double, 1> b,
                  block_view<double, 2> sum, block_view<std::int64_t, 2> position) const {
    for (index_t i = 0; i < a.shape()[0]; ++i) {
      for (index_t j = 0; j < a.shape()[1]; ++j) {
        sum(j, i) = a(i, j) + b(i);
        position(i, j) = 100 * (a.start(0) + i) + a.start(1) + j;
      }
    }
  }
};

/// Counts how often it is called for a block of the result.
struct count_calls {
  void operator()(block_view<const double, 2>, block_view<double, 1> result) const {
    for (index_t i = 0; i < result.shape()[0]; ++i) result(i) += 1;
  }
};

template <std::size_t N>
ndarray<double, N> some(const std::array<index_t, N>& shape, unsigned seed) {
  ndarray<double, N> values(shape);
  std::mt19937 random(seed);
  for (double& value : values.span()) value = static_cast<double>(random() % 19) - 9;
  return values;
}

TEST(Blockwise, AddsUpWhatBlocksAlongAMissingLetterMake) {
  std::mt19937 random(11);
  const auto pick = [&](index_t low, index_t high) {
    return low + static_cast<index_t>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (unsigned trial = 0; trial < 30; ++trial) {
    const index_t rows = pick(1, 9);
    const index_t inner = pick(1, 9);
    const index_t columns = pick(1, 9);
    const auto a = some<2>({rows, inner}, trial);
    const auto b = some<2>({inner, columns}, trial + 100);
    const auto x = asarray(a, {.chunks = {pick(1, rows), pick(1, inner)}});
    const auto y = asarray(b, {.chunks = {pick(1, inner), pick(1, columns)}});
    const auto result = (blockwise<"ik", "ij", "jk">(add_product{}, x + 1.0, y) * 2.0)
                            .compute({.executor = executors::threads(2)});
    for (index_t i = 0; i < rows; ++i) {
      for (index_t k = 0; k < columns; ++k) {
        double sum = 0;
        for (index_t j = 0; j < inner; ++j) sum += (a(i, j) + 1) * b(j, k);
        EXPECT_EQ(result(i, k), 2 * sum);
      }
    }
  }
}

TEST(Blockwise, MakesSeveralResultsWithTheirOwnOrderOfAxes) {
  const auto a = some<2>({5, 7}, 1);
  const auto b = some<1>({5}, 2);
  const auto [sum, position] = blockwise<std::tuple<double, std::int64_t>, "ji,ij", "ij", "i">(
      sum_and_position{}, asarray(a, {.chunks = {2, 3}}), asarray(b, {.chunks = {3}}));
  const auto [sums, positions] = plan(sum, position).compute();
  EXPECT_EQ(sums.shape(), (std::array<index_t, 2>{7, 5}));
  for (index_t i = 0; i < 5; ++i) {
    for (index_t j = 0; j < 7; ++j) {
      EXPECT_EQ(sums(j, i), a(i, j) + b(i));
      EXPECT_EQ(positions(i, j), 100 * i + j);
    }
  }
}

TEST(Blockwise, IsCalledForEachBlockInOneTask) {
  const auto x = asarray(some<2>({6, 20}, 3), {.chunks = {2, 3}});
  const auto calls = plan(blockwise<"i", "ij">(count_calls{}, x));
  EXPECT_EQ(calls.num_tasks(), 3);
  test::expect_values<double, 1>(calls.compute(), {6}, {7, 7, 7, 7, 7, 7});
}

TEST(Blockwise, BroadcastsAxesOfOneElement) {
  const auto a = some<2>({4, 1}, 5);
  const auto b = some<2>({3, 2}, 6);
  const auto result =
      blockwise<float, "ik", "ij", "jk">(add_product{}, asarray(a), asarray(b)).compute();
  for (index_t i = 0; i < 4; ++i) {
    for (index_t k = 0; k < 2; ++k) {
      EXPECT_EQ(result(i, k), static_cast<float>(a(i, 0) * (b(0, k) + b(1, k) + b(2, k))));
    }
  }
}

TEST(Blockwise, RefusesALetterOfTwoExtents) {
  test::expect_error<shape_error>(
      [] {
        (void)blockwise<"ik", "ij", "jk">(add_product{}, zeros<double>({2, 3}),
                                          zeros<double>({4, 5}));
      },
      {"'j' stands for 3 elements and, in array 1, for 4"});
}

TEST(Blockwise, MakesNothingOfNothing) {
  const auto result =
      blockwise<"ik", "ij", "jk">(add_product{}, zeros<double>({0, 3}), zeros<double>({3, 5}));
  EXPECT_EQ(result.compute().shape(), (std::array<index_t, 2>{0, 5}));
  const auto zero =
      blockwise<"ik", "ij", "jk">(add_product{}, zeros<double>({2, 0}), zeros<double>({0, 2}));
  test::expect_values<double, 2>(zero.compute(), {2, 2}, {0, 0, 0, 0});
}

}  // namespace
}  // namespace tessera
