// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/linear_algebra.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/covariance.hpp"
#include "tessera/array/einsum.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/matrix_power.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

// The expected values are NumPy's.

template <class T>
array<T, 2> matrix(index_t rows, index_t columns, chunk_lengths chunks) {
  ndarray<T, 2> values({rows, columns});
  int next = 0;
  for (T& value : values.span()) value = static_cast<T>(next++ * 5 % 7 - 2);
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

TEST(LinearAlgebra, MultipliesMatricesInAnyChunks) {
  const auto a = matrix<double>(3, 4, {2, 3});
  const auto b = matrix<double>(4, 5, {1, 2});
  EXPECT_EQ(matmul(a, b).chunks(), (std::array<index_t, 2>{2, 2}));
  expect_values<double, 2>(
      (matmul(a, b)).compute(), {3, 5},
      {6.0, -3.0, -5.0, 7.0, -9.0, -10.0, 10.0, 2.0, -6.0, 14.0, 9.0, 9.0, -5.0, 16.0, 23.0});
  expect_values<double, 2>(
      (matmul(a + 1, b * 2)).compute(), {3, 5},
      {16.0, 10.0, -10.0, 26.0, -8.0, -16.0, 36.0, 4.0, 0.0, 38.0, 22.0, 34.0, -10.0, 44.0, 56.0});
  expect_values<double, 2>(
      (matmul(matrix_transpose(b), matrix_transpose(a))).compute(), {5, 3},
      {6.0, -10.0, 9.0, -3.0, 10.0, 9.0, -5.0, 2.0, -5.0, 7.0, -6.0, 16.0, -9.0, 14.0, 23.0});
  expect_values<double, 2>(
      (matmul(matmul(a, b), matrix_transpose(b)) + 0.5).compute(), {3, 4},
      {-68.5, 34.5, -9.5, 30.5, 114.5, -27.5, 26.5, -17.5, 80.5, 99.5, -28.5, 151.5});
}

TEST(LinearAlgebra, PromotesDtypes) {
  const auto a = matrix<std::int32_t>(3, 4, {2, 3});
  const auto b = matrix<float>(4, 5, {1, 2});
  static_assert(std::same_as<decltype(matmul(a, b))::value_type, double>);
  static_assert(std::same_as<decltype(matmul(a, a))::value_type, std::int32_t>);
  expect_values<double, 2>(
      (matmul(a, b)).compute(), {3, 5},
      {6.0, -3.0, -5.0, 7.0, -9.0, -10.0, 10.0, 2.0, -6.0, 14.0, 9.0, 9.0, -5.0, 16.0, 23.0});
  expect_values<std::int32_t, 2>((matmul(matrix_transpose(a), a)).compute(), {4, 4},
                                 {29, 5, -5, 6, 5, 14, 2, -3, -5, 2, 2, -5, 6, -3, -5, 21});
  expect_values<float, 2>((matmul(b, matrix_transpose(b))).compute(), {4, 4},
                          {31.0F, -5.0F, 8.0F, 0.0F, -5.0F, 18.0F, -8.0F, 22.0F, 8.0F, -8.0F, 25.0F,
                           -5.0F, 0.0F, 22.0F, -5.0F, 31.0F});
}

TEST(LinearAlgebra, MatricesThatDoNotFitAreRefused) {
  const auto a = zeros<double>({3, 4});
  expect_error<shape_error>([&] { static_cast<void>(matmul(a, a)); },
                            {"matmul", "axis 1 of array 0, of shape (3, 4), has 4 elements",
                             "axis 0 of array 1, of shape (3, 4), has 3", "must be equal"});
  const auto b = zeros<double>({2, 4, 3});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(matmul(b, zeros<double>({3, 3, 2})));
      },
      {"matmul", "axis 0 of array 0", "has 2", "has 3", "broadcast"});
}

TEST(LinearAlgebra, LettersThatStandForDifferentExtentsAreRefused) {
  const auto a = zeros<double>({3, 4});
  expect_error<shape_error>([&] { static_cast<void>(einsum<"ij,jk">(a, a)); },
                            {"einsum", "axis 1 of array 0, of shape (3, 4), has 4 elements",
                             "axis 0 of array 1, of shape (3, 4), has 3", "'j' stands for both"});
  expect_error<shape_error>([&] { static_cast<void>(einsum<"ii">(a)); },
                            {"einsum", "axis 0 of array 0", "axis 1 of array 0", "'i'"});
  expect_error<shape_error>([&] { static_cast<void>(einsum<"ij,ij">(a, a(slice(1)))); },
                            {"einsum", "has 3", "has 1", "'i'"});
  expect_error<shape_error>([&] { static_cast<void>(tensordot(a, a, axis_at(0), axis_at(2))); },
                            {"tensordot", "axis 2 is not in [-2, 2)"});
}

TEST(LinearAlgebra, SumsOfProductsKeepChunks) {
  const auto a = zeros<double>({10, 20, 30}, {.chunks = {4, 5, 6}});
  const auto b = zeros<double>({10, 30, 40}, {.chunks = {2, 3, 7}});
  EXPECT_EQ((einsum<"bij,bjk->kbi">(a, b).chunks()), (std::array<index_t, 3>{7, 4, 5}));
  EXPECT_EQ((einsum<"bij,bjk->ik">(a, b).chunks()), (std::array<index_t, 2>{5, 7}));
}

// Blocks of 7 x 7 elements would read a matrix of 3.8 GB a thousand times over.
TEST(LinearAlgebra, ProductsOfThinChunksHaveLongerChunks) {
  const auto x = zeros<float>({3650, 260'000}, {.chunks = {7, 260'000}});
  EXPECT_EQ(matmul(x, matrix_transpose(x)).chunks(), (std::array<index_t, 2>{448, 448}));
  const auto y = zeros<float>({3650, 361, 720}, {.chunks = {7, 361, 720}});
  EXPECT_EQ((einsum<"tyx,syx->st">(y, y).chunks()), (std::array<index_t, 2>{448, 448}));
  // Blocks of 20 x 10 read the first matrix ten times, the second five times.
  const auto few = zeros<float>({100, 4'000'000}, {.chunks = {5, 4'000'000}});
  EXPECT_EQ(matmul(few, matrix_transpose(few)).chunks(), (std::array<index_t, 2>{20, 10}));
}

TEST(LinearAlgebra, ProductsThatReadLittleKeepThinChunks) {
  const auto x = zeros<float>({1'000'000, 2000}, {.chunks = {7, 2000}});
  const auto vector = zeros<float>({2000}, {.chunks = {2000}});
  EXPECT_EQ(matmul(x, vector).chunks(), (std::array<index_t, 1>{7}));
  const auto small = zeros<float>({365, 260}, {.chunks = {7, 260}});
  EXPECT_EQ(matmul(small, matrix_transpose(small)).chunks(), (std::array<index_t, 2>{7, 7}));
}

TEST(LinearAlgebra, OnlySquareMatricesHavePowers) {
  expect_error<shape_error>(
      [&] {
        static_cast<void>(matrix_power(zeros<double>({3, 4}), 2));
      },
      {"matrix_power", "3 x 4", "not square"});
  expect_error<value_error>(
      [&] {
        static_cast<void>(matrix_power(zeros<std::int64_t>({3, 3}), -1));
      },
      {"matrix_power", "-1", "inverse", "astype<double>"});
}

TEST(LinearAlgebra, VectorProductsAreOfThreeElements) {
  const auto a = zeros<double>({3, 4});
  expect_error<shape_error>([&] { static_cast<void>(cross(a, a)); },
                            {"cross", "axis 1", "(3, 4)", "extent 4"});
}

// numpy.corrcoef clips as well. Rounding carries the correlation of a variable with itself
// beyond 1.
TEST(LinearAlgebra, CorrelationsAreNeverBeyondOne) {
  const auto x = random::uniform({12, 41}, {.chunks = {5, 7}, .seed = 1});
  const auto greatest = max(abs(corrcoef(x))).compute()();
  EXPECT_EQ(greatest, 1.0);
}

TEST(LinearAlgebra, NothingToSumGivesZeros) {
  const auto a = zeros<double>({2, 0});
  const auto b = zeros<double>({0, 2});
  expect_values<double, 2>(matmul(a, b).compute(), {2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(matmul(b, a).compute().size(), 0);
}

}  // namespace
}  // namespace tessera
