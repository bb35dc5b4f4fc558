// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sees computed arrays as Eigen's vectors and matrices; the one header for users that needs Eigen.

#include "tessera/core/float16.hpp"
#include "tessera/kernel/block_view.hpp"
#include "tessera/kernel/detail/eigen_core.hpp"

#include <cstddef>
#include <type_traits>

template <>
struct Eigen::NumTraits<tessera::float16> : Eigen::GenericNumTraits<tessera::float16> {
  enum { RequireInitialization = false };
};

namespace tessera {

/// Returns an Eigen view of `array`, an `ndarray` of rank 1 (a column vector) or 2 (a row-major
/// matrix), which it refers to. Nothing is copied; a constant array gives a view that cannot be
/// written through.
template <class Array>
requires((Array::rank == 1 || Array::rank == 2) &&
         !detail::is_block_view<std::remove_const_t<Array>>)  //
    [[nodiscard]] auto eigen(Array& array) {
  using value = typename Array::value_type;
  constexpr int columns = Array::rank == 1 ? 1 : Eigen::Dynamic;
  constexpr auto order = Array::rank == 1 ? Eigen::ColMajor : Eigen::RowMajor;
  using matrix = Eigen::Matrix<value, Eigen::Dynamic, columns, order>;
  using mapped = std::conditional_t<std::is_const_v<Array>, const matrix, matrix>;
  const auto extents = array.shape();
  if constexpr (Array::rank == 1) {
    return Eigen::Map<mapped>(array.data(), extents[0]);
  } else {
    return Eigen::Map<mapped>(array.data(), extents[0], extents[1]);
  }
}

/// Returns an Eigen view of a block, of one or two axes, wherever its elements lie.
template <class T, std::size_t N>
requires(N == 1 || N == 2) [[nodiscard]] auto eigen(const block_view<T, N>& block) {
  constexpr int columns = N == 1 ? 1 : Eigen::Dynamic;
  constexpr auto order = N == 1 ? Eigen::ColMajor : Eigen::RowMajor;
  using matrix = Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, columns, order>;
  using mapped = std::conditional_t<std::is_const_v<T>, const matrix, matrix>;
  using strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  if constexpr (N == 1) {
    return Eigen::Map<mapped, Eigen::Unaligned, strides>(block.data(), block.shape()[0],
                                                         strides(0, block.stride(0)));
  } else {
    return Eigen::Map<mapped, Eigen::Unaligned, strides>(block.data(), block.shape()[0],
                                                         block.shape()[1],
                                                         strides(block.stride(0), block.stride(1)));
  }
}

}  // namespace tessera
