// SPDX-License-Identifier: Apache-2.0

#include "tessera/tessera.hpp"

#include "property/random_steps.hpp"

#include <tuple>

namespace random_steps {

namespace {

namespace ts = tessera;

using block = ts::block_view<double, 2>;
using const_block = ts::block_view<const double, 2>;

/// Integers, so that sums of products are exact.
matrix integers_of(const matrix& x) { return ts::round(ts::clip(x * 4.0, -99.0, 99.0)); }

matrix product(const matrix& x, const matrix& y) {
  return ts::matmul(integers_of(x), integers_of(y)) / 16.0;
}

/// Subtracts the first element of a block from all: elements depend on the blocks.
constexpr auto subtract_first = [](const_block x, block y) {
  for (index_t i = 0; i < y.shape()[0]; ++i) {
    for (index_t j = 0; j < y.shape()[1]; ++j) y(i, j) = x(i, j) - x(0, 0);
  }
};

/// The running sums of the rows of a block, and the positions of elements in the array.
constexpr auto sum_and_number = [](const_block x, block sums, block numbers) {
  for (index_t i = 0; i < sums.shape()[0]; ++i) {
    double sum = 0;
    for (index_t j = 0; j < sums.shape()[1]; ++j) {
      sums(i, j) = sum += x(i, j);
      numbers(i, j) = static_cast<double>((numbers.start(0) + i) * 100 + numbers.start(1) + j);
    }
  }
};

/// Returns the difference of both neighbours along rows.
constexpr auto neighbours = [](const_block x, block y) {
  for (index_t i = 0; i < y.shape()[0]; ++i) {
    for (index_t j = 0; j < y.shape()[1]; ++j) y(i, j) = x(i + 2, j) - x(i, j);
  }
};

step draw_product(const draw& pick) {
  switch (pick(0, 2)) {
    case 0:
      return {"x y^T",
              [](const matrix& x, const matrix& y) { return product(x, ts::matrix_transpose(y)); }};
    case 1:
      return {"x^T x",
              [](const matrix& x, const matrix&) { return product(ts::matrix_transpose(x), x); }};
    default:
      return {"einsum", [](const matrix& x, const matrix& y) {
                return ts::einsum<"ij,ij->ji">(integers_of(x), integers_of(y)) / 16.0;
              }};
  }
}

step draw_call(const draw& pick) {
  switch (pick(0, 3)) {
    case 0:
      return {"map_blocks", [](const matrix& x, const matrix&) {
                return ts::map_blocks<double>(subtract_first, x);
              }};
    case 1:
      return {"map_blocks of two results", [](const matrix& x, const matrix&) {
                const auto [sums, numbers] = ts::map_blocks<double, double>(sum_and_number, x);
                return sums + numbers;
              }};
    case 2:
      return {"one of two results", [](const matrix& x, const matrix&) {
                return std::get<1>(ts::map_blocks<double, double>(sum_and_number, x));
              }};
    default:
      return {"map_overlap", [](const matrix& x, const matrix&) {
                return ts::map_overlap<double>(
                    neighbours, x, {.depth = {{1, 1}, {0, 0}}, .beyond = ts::boundary::edge});
              }};
  }
}

/// A matrix with positive eigenvalues.
matrix definite(const matrix& x, index_t columns) {
  return product(ts::matrix_transpose(x), x) + 4.0 * ts::eye<double>(columns, columns);
}

step draw_factor(const draw& pick, extents of) {
  switch (pick(0, 5)) {
    case 0:
      return {"q", [](const matrix& x, const matrix&) { return std::get<0>(ts::qr(x)); }};
    case 1:
      return {"r", [](const matrix& x, const matrix&) { return std::get<1>(ts::qr(x)); }};
    case 2:
      return {"q and r", [](const matrix& x, const matrix&) {
                const auto [q, r] = ts::qr(x);
                return q - ts::sum(r, ts::axis<0>, ts::keepdims)(ts::whole, ts::slice(0, 1));
              }};
    case 3:
      return {"singular values", [](const matrix& x, const matrix&) {
                const auto [u, s, v] = ts::svd(x);
                return u * s;
              }};
    case 4:
      return {"cholesky", [=](const matrix& x, const matrix&) {
                return ts::cholesky(definite(x, of.columns));
              }};
    default:
      return {"solve", [=](const matrix& x, const matrix& y) {
                return ts::solve(definite(x, of.columns), ts::matrix_transpose(y));
              }};
  }
}

}  // namespace

step draw_block(const draw& pick, extents of, bool has_libraries) {
  switch (pick(has_libraries ? 0 : 2, 2)) {
    case 0:
      return draw_product(pick);
    case 1:
      return draw_factor(pick, of);
    default:
      return draw_call(pick);
  }
}

}  // namespace random_steps
