// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

namespace tessera::detail {
namespace {

/// Numbers in [-1, 1). Their sums are rounded.
template <class T>
std::vector<T> values(index_t count) {
  std::vector<T> result;
  unsigned state = 1;
  for (index_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    result.push_back(static_cast<T>(static_cast<double>(state) / 2147483648.0 - 1));
  }
  return result;
}

/// Returns the transpose of `rows` x `columns` elements.
template <class T>
std::vector<T> transpose(const std::vector<T>& matrix, index_t rows, index_t columns) {
  std::vector<T> result(matrix.size());
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      result[static_cast<std::size_t>(j * rows + i)] =
          matrix[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return result;
}

/// Tells whether a product has other bits if operands lie in memory in another order.
template <class T>
bool differs(index_t rows, index_t columns, index_t inner) {
  const std::vector<T> a = values<T>(rows * inner);
  const std::vector<T> b = values<T>(inner * columns);
  const std::vector<T> turned_a = transpose(a, rows, inner);
  const std::vector<T> turned_b = transpose(b, inner, columns);
  std::vector<T> expected;
  for (const bool is_a_turned : {false, true}) {
    for (const bool is_b_turned : {false, true}) {
      const dense_matrix<T> factor_a{is_a_turned ? turned_a.data() : a.data(), is_a_turned,
                                     is_a_turned ? rows : inner};
      const dense_matrix<T> factor_b{is_b_turned ? turned_b.data() : b.data(), is_b_turned,
                                     is_b_turned ? inner : columns};
      std::vector<T> out(static_cast<std::size_t>(rows * columns));
      gemm<T>(rows, columns, inner, factor_a, factor_b, out.data(), columns);
      if (expected.empty()) expected = out;
      if (std::memcmp(out.data(), expected.data(), out.size() * sizeof(T)) != 0) return true;
    }
  }
  return false;
}

}  // namespace

template <class T>
bool depends_on_order() {
  static const bool result = differs<T>(90, 24, 149) || differs<T>(37, 90, 70) ||
                             differs<T>(1, 60, 200) || differs<T>(60, 1, 200);
  return result;
}

template bool depends_on_order<float>();
template bool depends_on_order<double>();

}  // namespace tessera::detail
