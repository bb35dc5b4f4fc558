// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "kernel/api/contraction_kernel.hpp"
#include "kernel/gemm.hpp"
#include "unit/kernel/run_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

/// The layout of a matrix in memory: the strides of its two axes.
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

/// Returns a matrix of small integers: their products are exact in every dtype's arithmetic.
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
                 matrix<T>& out, std::span<std::byte> workspace = {}) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const std::array<block_input, 2> inputs{
      block_input{
          a.data.bytes(), {rows, inner}, {size * a.row_stride, size * a.column_stride}, {0, 0}},
      block_input{
          b.data.bytes(), {inner, columns}, {size * b.row_stride, size * b.column_stride}, {0, 0}}};
  const std::array outputs{
      block_output{out.data.bytes(), {rows, columns}, {size * out.row_stride, size}, {0, 0}}};
  contraction::matmul<T>().run({inputs, outputs, nullptr, workspace});
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

/// Returns the bits of a product of rounded sums, of factors that lie as `order_a` and `order_b`.
template <class T>
std::vector<T> rounded_product(index_t rows, index_t columns, index_t inner, layout order_a,
                               layout order_b) {
  std::mt19937 random(static_cast<unsigned>(rows * 100 + columns * 10 + inner));
  matrix<T> a = random_matrix<T>(rows, inner, order_a, random);
  matrix<T> b = random_matrix<T>(inner, columns, order_b, random);
  matrix<T> out = random_matrix<T>(rows, columns, layout::rows, random);
  for (matrix<T>* const factor : {&a, &b}) {
    const index_t height = factor == &a ? rows : inner;
    const index_t width = factor == &a ? inner : columns;
    for (index_t i = 0; i < height; ++i) {
      for (index_t j = 0; j < width; ++j) {
        factor->at(i, j) = (factor->at(i, j) + T(i % 5) - 3) / T(7);
      }
    }
  }
  const block_shapes shapes{{{rows, inner}, {inner, columns}}, {{rows, columns}}};
  testing::buffer<std::byte> workspace(contraction::matmul<T>().workspace(shapes));
  add_product(rows, columns, inner, a, b, out,
              {workspace.bytes(), contraction::matmul<T>().workspace(shapes)});
  std::vector<T> result;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) result.push_back(out.at(i, j));
  }
  return result;
}

// OpenBLAS multiplies small matrices, and such that are stored by columns, by kernels of their own
// on some processors. Packed panels once had other extents than a call without packing.
TEST(Contraction, HasTheSameBitsInAnyLayout) {
  const layout orders[] = {layout::rows, layout::columns, layout::padded_rows,
                           layout::both_strided};
  const auto expect_same_bits = [&]<class T>(T, index_t rows, index_t columns, index_t inner) {
    const auto expected = rounded_product<T>(rows, columns, inner, layout::rows, layout::rows);
    for (const layout order_a : orders) {
      for (const layout order_b : orders) {
        const auto computed = rounded_product<T>(rows, columns, inner, order_a, order_b);
        EXPECT_EQ(std::memcmp(computed.data(), expected.data(), expected.size() * sizeof(T)), 0)
            << rows << " x " << columns << " x " << inner << ", " << static_cast<int>(order_a)
            << ", " << static_cast<int>(order_b);
      }
    }
  };
  const std::array<std::array<index_t, 3>, 7> extents{{{90, 24, 149},
                                                       {300, 700, 520},
                                                       {1, 300, 200},
                                                       {300, 1, 200},
                                                       {30, 30, 30},
                                                       {1100, 30, 800},
                                                       {37, 1030, 90}}};
  for (const auto& [rows, columns, inner] : extents) {
    expect_same_bits(1.0F, rows, columns, inner);
    expect_same_bits(1.0, rows, columns, inner);
  }
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

/// An array with any order of its axes in memory.
template <class T>
struct tensor {
  index_vector extents;
  index_vector strides;
  testing::buffer<T> data;

  T& at(const index_vector& position) {
    index_t offset = 0;
    for (std::size_t k = 0; k < position.size(); ++k) offset += position[k] * strides[k];
    return data.data()[static_cast<std::size_t>(offset)];
  }
  [[nodiscard]] index_vector byte_strides() const {
    index_vector bytes = strides;
    for (index_t& stride : bytes) stride *= static_cast<index_t>(sizeof(T));
    return bytes;
  }
};

/// Returns a tensor of small integers with a random order of axes in memory; the last axis is dense
/// if `is_last_dense`.
template <class T>
tensor<T> random_tensor(const index_vector& extents, bool is_last_dense, std::mt19937& random) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end() - (is_last_dense ? 1 : 0), random);
  index_vector strides(extents.size());
  index_t size = 1;
  for (std::size_t k = order.size(); k-- > 0; size *= extents[order[k]]) strides[order[k]] = size;
  tensor<T> random_values{extents, strides, testing::buffer<T>(static_cast<std::size_t>(size))};
  for (index_t i = 0; i < size; ++i) {
    random_values.data.data()[static_cast<std::size_t>(i)] =
        static_cast<T>(static_cast<int>(random() % 7));
  }
  return random_values;
}

/// Calls `f` with each position of `extents`.
template <class F>
void for_each_position(const index_vector& extents, F f) {
  index_vector position(extents.size());
  for (index_t remaining = num_elements(extents); remaining > 0; --remaining) {
    f(position);
    for (std::size_t k = extents.size(); k-- > 0;) {
      if (++position[k] < extents[k]) break;
      position[k] = 0;
    }
  }
}

index_vector joined(const index_vector& a, const index_vector& b) {
  index_vector joint = a;
  for (const index_t extent : b) joint.push_back(extent);
  return joint;
}

/// Expects the definition for several axes of each kind, in any order in memory.
template <class T>
void expect_product_of_axes(const index_vector& batch, const index_vector& rows,
                            const index_vector& columns, const index_vector& inner, unsigned seed) {
  std::mt19937 random(seed);
  auto a = random_tensor<T>(joined(joined(batch, rows), inner), false, random);
  auto b = random_tensor<T>(joined(joined(batch, inner), columns), false, random);
  auto out = random_tensor<T>(joined(joined(batch, rows), columns), seed % 2 == 0, random);
  auto expected = out.data.values();
  for_each_position(batch, [&](const index_vector& l) {
    for_each_position(rows, [&](const index_vector& i) {
      for_each_position(columns, [&](const index_vector& j) {
        std::int64_t sum = 0;
        for_each_position(inner, [&](const index_vector& k) {
          sum += static_cast<std::int64_t>(a.at(joined(joined(l, i), k))) *
                 static_cast<std::int64_t>(b.at(joined(joined(l, k), j)));
        });
        const auto position =
            static_cast<std::size_t>(&out.at(joined(joined(l, i), j)) - out.data.data());
        expected[position] = static_cast<T>(static_cast<std::int64_t>(expected[position]) + sum);
      });
    });
  });
  const contraction::axis_counts counts{batch.size(), rows.size(), columns.size(), inner.size(),
                                        seed % 3 == 0 ? 1U : 0U};
  const block_kernel& kernel = contraction::matmul<T>();
  const block_shapes shapes{{a.extents, b.extents}, {out.extents}, &counts};
  ASSERT_TRUE(kernel.takes(shapes));
  testing::buffer<std::byte> workspace(kernel.workspace(shapes));
  const std::array inputs{
      block_input{a.data.bytes(), a.extents, a.byte_strides(), index_vector(a.extents.size())},
      block_input{b.data.bytes(), b.extents, b.byte_strides(), index_vector(b.extents.size())}};
  const std::array outputs{block_output{out.data.bytes(), out.extents, out.byte_strides(),
                                        index_vector(out.extents.size())}};
  const std::size_t size = kernel.workspace(shapes);
  kernel.run({inputs, outputs, &counts, {workspace.bytes(), size}});
  EXPECT_EQ(out.data.values(), expected) << "seed " << seed;
}

TEST(Contraction, AddsProductsOfAxesInAnyOrder) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    expect_product_of_axes<double>({2}, {3, 5}, {4, 20}, {6, 7}, seed);
    expect_product_of_axes<float>({}, {40}, {3, 11}, {2, 30}, seed);
    expect_product_of_axes<std::int32_t>({2, 2}, {3, 2}, {5}, {4, 3}, seed);
    expect_product_of_axes<double>({3}, {70, 1}, {1}, {90}, seed);
  }
}

TEST(Contraction, PacksMatricesLargerThanItsParts) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    expect_product_of_axes<double>({}, {260, 2}, {8}, {60}, seed);
    expect_product_of_axes<float>({}, {4}, {520, 2}, {50}, seed);
    expect_product_of_axes<double>({}, {4}, {9, 2}, {520, 3}, seed);
  }
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

/// Adds the product of matrices of small integers, in either order each, to ones, and compares with
/// a plain loop; rows and columns of more than one of Eigen's panels.
template <class T>
void expect_eigen_multiplies(index_t rows, index_t columns, index_t inner) {
  std::mt19937 random(7);
  for (const layout of_a : {layout::rows, layout::columns, layout::padded_rows}) {
    for (const layout of_b : {layout::rows, layout::columns, layout::padded_rows}) {
      auto a = random_matrix<T>(rows, inner, of_a, random);
      auto b = random_matrix<T>(inner, columns, of_b, random);
      const auto dense = [](matrix<T>& m, layout order) {
        const bool is_transposed = order == layout::columns;
        return detail::dense_matrix<T>{m.data.data(), is_transposed,
                                       is_transposed ? m.column_stride : m.row_stride};
      };
      const index_t stride = columns + 3;
      std::vector<T> out(static_cast<std::size_t>(rows * stride), T(1));
      detail::gemm_by_eigen(rows, columns, inner, dense(a, of_a), dense(b, of_b), out.data(),
                            stride);
      for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < stride; ++j) {
          T expected = 1;
          for (index_t k = 0; j < columns && k < inner; ++k) expected += a.at(i, k) * b.at(k, j);
          ASSERT_EQ(out[static_cast<std::size_t>(i * stride + j)], expected) << i << ", " << j;
        }
      }
    }
  }
}

#if defined(__AVX2__) && defined(__FMA__)
TEST(Contraction, EigensProductsAreCompiledForTheMachineAsProgramsAre) {
  EXPECT_TRUE(detail::has_eigen_wide_steps());
}
#endif

// The library that multiplies depends on the processor; Eigen's way is there in each build.
TEST(Contraction, EigenMultipliesInEitherOrder) {
  expect_eigen_multiplies<float>(37, 1030, 5);
  expect_eigen_multiplies<double>(1030, 41, 19);
}

}  // namespace
}  // namespace tessera
