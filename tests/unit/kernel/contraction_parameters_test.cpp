// SPDX-License-Identifier: Apache-2.0

/// \file
/// The parameters of products: the order of the axes in memory, and parameters that are restored.

#include "tessera/core/error.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include "kernel/api/contraction_kernel.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <vector>

namespace tessera {
namespace {

/// Returns the product of 3 x 1 rows of `inner` elements with 57 columns, in an output whose rows
/// are `distance` elements apart, and whose columns are farther apart.
std::vector<double> product_in_rows(index_t inner, index_t distance) {
  constexpr index_t rows = 3;
  constexpr index_t columns = 57;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> numbers(-1, 1);
  std::vector<double> a(static_cast<std::size_t>(rows * inner));
  std::vector<double> b(static_cast<std::size_t>(inner * columns));
  for (double& x : a) x = numbers(random);
  for (double& x : b) x = numbers(random);
  std::vector<double> out(static_cast<std::size_t>(rows * distance * columns));
  const contraction::axis_counts counts{
      .batch = 0, .rows = 2, .columns = 1, .inner = 1, .are_rows_last = 1};
  const block_kernel& kernel = contraction::matmul<double>();
  const block_shapes shapes{{{rows, 1, inner}, {inner, columns}}, {{rows, 1, columns}}, &counts};
  std::vector<std::byte> workspace(kernel.workspace(shapes));
  const auto bytes_of = [](auto& values) {
    return std::as_writable_bytes(std::span(values)).data();
  };
  const std::array inputs{
      block_input{bytes_of(a), {rows, 1, inner}, {8 * inner, 8 * inner, 8}, {0, 0, 0}},
      block_input{bytes_of(b), {inner, columns}, {8 * columns, 8}, {0, 0}}};
  const std::array outputs{block_output{
      bytes_of(out), {rows, 1, columns}, {8 * distance, 8, 8 * rows * distance}, {0, 0, 0}}};
  kernel.run({inputs, outputs, &counts, workspace});
  std::vector<double> elements;
  for (index_t j = 0; j < columns; ++j) {
    for (index_t i = 0; i < rows; ++i) {
      elements.push_back(out[static_cast<std::size_t>((j * rows + i) * distance)]);
    }
  }
  return elements;
}

// A block of one element along the last axis lies like one without the axis.
TEST(Contraction, BitsDoNotDependOnTheDistanceOfRows) {
  for (const index_t inner : {4, 30, 200, 1000}) {
    EXPECT_EQ(product_in_rows(inner, 1), product_in_rows(inner, 2)) << inner;
    EXPECT_EQ(product_in_rows(inner, 1), product_in_rows(inner, 5)) << inner;
  }
}

TEST(Contraction, ParametersAreCheckedWhereTheyAreRestored) {
  const block_kernel& kernel = contraction::matmul<float>();
  const contraction::axis_counts counts{1, 2, 3, 4};
  const kernel_parameters restored = kernel.restore(contraction::parameters(counts).identity());
  EXPECT_EQ(restored, contraction::parameters(counts));
  EXPECT_EQ(kernel.restore({}), kernel_parameters());
  EXPECT_THROW(static_cast<void>(kernel.restore("short")), value_error);
  EXPECT_THROW(
      static_cast<void>(kernel.restore(contraction::parameters({1, 2, 3, 400}).identity())),
      value_error);
  EXPECT_THROW(
      static_cast<void>(kernel.restore(contraction::parameters({1, 2, 3, 4, 2}).identity())),
      value_error);
}

}  // namespace
}  // namespace tessera
