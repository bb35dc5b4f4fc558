// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/contraction.hpp"

#include "unit/kernel/run_kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

/// How a matrix lies in memory: the strides of its two axes.
enum class layout { rows, columns, padded_rows, both_strided, broadcast_rows };

template <class T>
struct matrix {
  testing::buffer<T> data;
  index_t row_stride;
  index_t column_stride;

  T& at(index_t i, index_t j) {
    return data.data()[static_cast<std::size_t>(i * row_stride + j * column_stride)];
  }
};

/// Returns a matrix of small integers, whose products are exact in every dtype's arithmetic.
template <class T>
matrix<T> random_matrix(index_t rows, index_t columns, layout order, std::mt19937& random) {
  index_t row_stride = columns;
  index_t column_stride = 1;
  if (order == layout::columns) row_stride = 1, column_stride = rows;
  if (order == layout::padded_rows) row_stride = columns + 5;
  if (order == layout::both_strided) row_stride = 2 * columns + 1, column_stride = 2;
  if (order == layout::broadcast_rows) row_stride = 0;
  matrix<T> m{testing::buffer<T>(static_cast<std::size_t>((2 * columns + 6) * (rows + 1))),
              row_stride, column_stride};
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) m.at(i, j) = static_cast<T>(random() % 7);
  }
  return m;
}

/// Adds `a * b` to `out`.
template <class T>
void add_product(index_t rows, index_t columns, index_t inner, matrix<T>& a, matrix<T>& b,
                 matrix<T>& out) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const std::array<block_input, 2> inputs{
      block_input{
          a.data.bytes(), {rows, inner}, {size * a.row_stride, size * a.column_stride}, {0, 0}},
      block_input{
          b.data.bytes(), {inner, columns}, {size * b.row_stride, size * b.column_stride}, {0, 0}}};
  const std::array outputs{
      block_output{out.data.bytes(), {rows, columns}, {size * out.row_stride, size}, {0, 0}}};
  contraction::matmul<T>().run({inputs, outputs, nullptr, {}});
}

/// Expects `out + a * b` from the definition; integers of 64 bits hold every sum.
template <class T>
void expect_product(index_t rows, index_t columns, index_t inner, layout order_a, layout order_b) {
  std::mt19937 random(static_cast<unsigned>(rows * 100 + columns * 10 + inner));
  matrix<T> a = random_matrix<T>(rows, inner, order_a, random);
  matrix<T> b = random_matrix<T>(inner, columns, order_b, random);
  matrix<T> out = random_matrix<T>(rows, columns, layout::padded_rows, random);
  std::vector<T> expected;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      auto sum = static_cast<std::int64_t>(out.at(i, j));
      for (index_t k = 0; k < inner; ++k) {
        sum += static_cast<std::int64_t>(a.at(i, k)) * static_cast<std::int64_t>(b.at(k, j));
      }
      expected.push_back(static_cast<T>(sum));
    }
  }
  add_product(rows, columns, inner, a, b, out);
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      ASSERT_EQ(out.at(i, j), expected[static_cast<std::size_t>(i * columns + j)])
          << i << ", " << j << " of " << rows << " x " << columns << " x " << inner;
    }
  }
}

template <class T>
void expect_products_of_all_layouts() {
  const layout orders[] = {layout::rows, layout::columns, layout::padded_rows, layout::both_strided,
                           layout::broadcast_rows};
  for (const layout order_a : orders) {
    for (const layout order_b : orders) {
      for (const index_t rows : {1, 3, 40}) {
        for (const index_t columns : {1, 5, 140}) {
          for (const index_t inner : {1, 4, 70}) {
            expect_product<T>(rows, columns, inner, order_a, order_b);
          }
        }
      }
    }
  }
}

TEST(Contraction, AddsProductsOfFloatsInAnyLayout) {
  expect_products_of_all_layouts<float>();
  expect_products_of_all_layouts<double>();
}

TEST(Contraction, AddsProductsOfIntegersInAnyLayout) {
  expect_products_of_all_layouts<std::int32_t>();
  expect_products_of_all_layouts<std::int64_t>();
  expect_products_of_all_layouts<std::uint16_t>();
  expect_products_of_all_layouts<std::int8_t>();  // 70 * 6 * 6 wraps
}

TEST(Contraction, AddsProductsLargerThanItsPanels) {
  expect_product<double>(1100, 20, 800, layout::rows, layout::rows);
  expect_product<float>(1100, 20, 800, layout::columns, layout::columns);
}

TEST(Contraction, WrapsIntegersThatOverflow) {
  const auto greatest = std::numeric_limits<std::int64_t>::max();
  using integers = std::vector<std::int64_t>;
  matrix<std::int64_t> a{testing::buffer(integers{greatest, greatest}), 2, 1};
  matrix<std::int64_t> b{testing::buffer(integers{2, 1}), 1, 1};
  matrix<std::int64_t> out{testing::buffer(integers{4}), 1, 1};
  add_product(1, 1, 2, a, b, out);
  // 3 (2^63 - 1) + 4 = 2^63 + 1 modulo 2^64.
  EXPECT_EQ(out.at(0, 0), std::numeric_limits<std::int64_t>::min() + 1);
}

TEST(Contraction, LeavesTheResultAloneWhereNothingIsSummed) {
  matrix<double> nothing{testing::buffer<double>(0), 0, 1};
  matrix<double> out{testing::buffer(std::vector<double>{3}), 1, 1};
  add_product(1, 1, 0, nothing, nothing, out);
  EXPECT_EQ(out.at(0, 0), 3);
}

TEST(Contraction, StartsFromZeroInRowsThatLieApart) {
  testing::buffer<double> out(std::vector<double>{1, 2, 3, 4, 5, 6});
  const std::array outputs{block_output{out.bytes(), {2, 2}, {3 * 8, 8}, {0, 0}}};
  contraction::matmul<double>().start({{}, outputs, nullptr, {}});
  EXPECT_EQ(out.values(), (std::vector<double>{0, 0, 3, 0, 0, 6}));
}

TEST(Contraction, RunsOnManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([] {
      for (index_t size = 60; size < 90; size += 7) {
        expect_product<double>(size, size, size, layout::rows, layout::columns);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Contraction, NeedsWorkspaceThatDoesNotGrowBeyondItsPanels) {
  const auto kept = [](const block_kernel& kernel, index_t n) {
    return kernel.kept({{{n, n}, {n, n}}, {{n, n}}});
  };
  const auto& kernel = contraction::matmul<double>();
  EXPECT_LE(kept(kernel, 100'000), 64U << 20);
  EXPECT_LE(kept(kernel, 10), kept(kernel, 1000));
  EXPECT_EQ(kept(contraction::matmul<std::int32_t>(), 1000), 0U);
}

}  // namespace
}  // namespace tessera
