// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/eigen_tensor.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/tessera.hpp"

#include <Eigen/Dense>
#include <array>
#include <concepts>
#include <cstddef>
#include <gtest/gtest.h>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#ifdef TESSERA_HAS_XTENSOR
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

namespace tessera {
namespace {

/// Returns the address at which a plan would find the first element of `x`.
template <class X>
const void* address_of(const X& x) {
  return std::get<memory_source>(x.view().array->source).data;
}

/// Expects that `x` sees the elements `at(i, j)` in place, and that computing with them is right.
template <class X, class At>
void expect_matrix(const X& x, const void* address, const At& at) {
  ASSERT_EQ(address_of(x), address);
  const auto doubled = (x * 2).compute();
  const auto columns = sum(x, axis<0>).compute();
  for (index_t j = 0; j < x.shape()[1]; ++j) {
    typename X::value_type expected{};
    for (index_t i = 0; i < x.shape()[0]; ++i) {
      EXPECT_EQ(doubled(i, j), at(i, j) * 2);
      expected += at(i, j);
    }
    EXPECT_EQ(columns(j), expected);
  }
}

Eigen::MatrixXd numbers(Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Eigen::Index i = 0; i < rows * columns; ++i) matrix.data()[i] = static_cast<double>(i);
  return matrix;
}

TEST(Interchange, EigenMatricesOfEitherOrderAreReadInPlace) {
  const Eigen::MatrixXd columns = numbers(5, 3);
  expect_matrix(from_memory(columns), columns.data(), columns);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = columns;
  expect_matrix(from_memory(rows, {.chunks = {2, 2}}), rows.data(), rows);
  const Eigen::Matrix3i fixed = Eigen::Matrix3i::Random();
  expect_matrix(from_memory(fixed), fixed.data(), fixed);
}

TEST(Interchange, BlocksAndMapsOfEigenAreReadInPlace) {
  const Eigen::MatrixXd matrix = numbers(6, 5);
  const auto block = matrix.block(1, 2, 3, 3);
  expect_matrix(from_memory(block), &matrix(1, 2), block);
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::Stride<12, 2>> map(matrix.data(), 3, 2);
  expect_matrix(from_memory(map), matrix.data(), map);
  const Eigen::VectorXd vector = matrix.col(1);
  const auto x = from_memory(vector);
  static_assert(decltype(x)::rank == 1);
  EXPECT_EQ(address_of(x), vector.data());
  EXPECT_EQ(sum(from_memory(matrix.row(2))).compute()(), matrix.row(2).sum());
}

TEST(Interchange, ATemporaryMatrixLivesAsLongAsTheArray) {
  Eigen::MatrixXd matrix = numbers(4, 3);
  const void* const address = matrix.data();
  const Eigen::MatrixXd same = matrix;
  expect_matrix(from_memory(std::move(matrix)), address, same);
}

TEST(Interchange, ResultsAreEigensWithoutACopy) {
  const Eigen::MatrixXd matrix = numbers(4, 3);
  ndarray<double, 2> result = (from_memory(matrix) + 1.0).compute();
  EXPECT_EQ(result.eigen().data(), result.data());
  EXPECT_EQ(Eigen::MatrixXd(result.eigen()), (matrix.array() + 1).matrix());
  expect_matrix(from_memory(result.eigen()), result.data(), result.eigen());
}

TEST(Interchange, TensorsOfEigenGoInAndOut) {
  Eigen::Tensor<float, 3> tensor(2, 3, 4);
  tensor.setRandom();
  const auto x = from_memory(tensor);
  static_assert(decltype(x)::rank == 3);
  EXPECT_EQ(address_of(x), tensor.data());
  ndarray<float, 3> result = (x + x).compute();
  const auto adapted = eigen_tensor(result);
  EXPECT_EQ(adapted.data(), result.data());
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(adapted(i, j, k), 2 * tensor(i, j, k));
    }
  }
  EXPECT_EQ(address_of(from_memory(adapted)), result.data());
  EXPECT_EQ(from_memory(adapted).compute(), result);
}

TEST(Interchange, PartsOfComputedArraysAreReadInPlace) {
  ndarray<int, 2> m({4, 6});
  int next = 0;
  for (int& value : m.span()) value = next++;
  const auto part = m(slice(1, none, 2), slice(none, none, -2));
  expect_matrix(from_memory(part), &m(1, 5), part);
  expect_matrix(from_memory(m), m.data(), m);
  EXPECT_EQ(address_of(from_memory(m(whole, 2))), &m(0, 2));
}

/// Stands for `std::mdspan` of libraries that have it, for elements anywhere.
template <class T, std::size_t N>
struct span_of_axes {
  T* first;
  std::array<std::size_t, N> extents;
  std::array<std::ptrdiff_t, N> apart;

  static constexpr std::size_t rank() { return N; }
  [[nodiscard]] T* data_handle() const { return first; }
  [[nodiscard]] std::size_t extent(std::size_t axis) const { return extents[axis]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t axis) const { return apart[axis]; }
};
/// As a view of Kokkos: `data()`, and a rank that is a number.
struct kokkos_like {
  static constexpr unsigned rank = 2;
  std::vector<double>* values;
  [[nodiscard]] double* data() const { return values->data(); }
  template <std::integral I>
  [[nodiscard]] std::size_t extent(const I& axis) const {
    return axis == 0 ? 2 : 3;
  }
  template <std::integral I>
  [[nodiscard]] std::size_t stride(const I& axis) const {
    return axis == 0 ? 1 : 2;
  }
};

TEST(Interchange, WhatHasDataExtentsAndStridesIsReadInPlace) {
  std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const span_of_axes<double, 2> padded{values.data(), {3, 2}, {4, 1}};
  expect_matrix(from_memory(padded), values.data(),
                [](index_t i, index_t j) { return static_cast<double>(4 * i + j); });
  const span_of_axes<const double, 2> backwards{&values[11], {2, 3}, {-1, -4}};
  expect_matrix(from_memory(backwards), &values[11],
                [](index_t i, index_t j) { return static_cast<double>(11 - i - 4 * j); });
  expect_matrix(from_memory(kokkos_like{&values}), values.data(),
                [](index_t i, index_t j) { return static_cast<double>(i + 2 * j); });
}

TEST(Interchange, ElementsThatLieApartReachOtherProcesses) {
  const Eigen::MatrixXd matrix = numbers(6, 5);
  const span_of_axes<const double, 2> backwards{&matrix(5, 4), {3, 5}, {-2, -6}};
  const run_with settings{.executor = executors::processes(2)};
  const auto block =
      (from_memory(matrix.block(1, 1, 4, 3), {.chunks = {2, 2}}) * 2.0).compute(settings);
  EXPECT_EQ(Eigen::MatrixXd(block.eigen()), matrix.block(1, 1, 4, 3) * 2);
  const auto turned = (from_memory(backwards) + 1.0).compute(settings);
  EXPECT_EQ(turned(1, 2), matrix(3, 2) + 1);
}

TEST(Interchange, SpansGoInAndOut) {
  std::vector<double> values{0, 1, 2, 3, 4, 5};
  const auto x = from_memory(std::span<const double>(values), {2, 3});
  EXPECT_EQ(address_of(x), values.data());
  ndarray<double, 2> result = (x + 1.0).compute();
  EXPECT_EQ(result.span().data(), result.data());
  EXPECT_EQ(result.strides(), (std::array<index_t, 2>{3, 1}));
}

#ifdef TESSERA_HAS_XTENSOR
TEST(Interchange, ContainersAndViewsOfXtensorGoInAndOut) {
  xt::xtensor<double, 2> tensor = xt::arange<double>(0, 20).reshape({4, 5});
  expect_matrix(from_memory(tensor), tensor.data(), tensor);
  xt::xtensor<double, 2, xt::layout_type::column_major> columns = tensor;
  expect_matrix(from_memory(columns), columns.data(), columns);
  const auto view = xt::view(tensor, xt::range(1, 4), xt::range(0, 5, 2));
  expect_matrix(from_memory(view), &tensor(1, 0), view);

  ndarray<double, 2> result = (from_memory(tensor) * 3.0).compute();
  const std::array<std::size_t, 2> extents{4, 5};
  const auto adapted = xt::adapt(result.data(), 20, xt::no_ownership(), extents);
  EXPECT_EQ(adapted.data(), result.data());
  EXPECT_EQ(adapted(3, 2), 51);
}
#endif

}  // namespace
}  // namespace tessera
