// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sees computed arrays as Eigen's vectors and matrices; the one header for users that needs Eigen.

#include "tessera/core/float16.hpp"
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
requires(Array::rank == 1 || Array::rank == 2) [[nodiscard]] auto eigen(Array& array) {
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

}  // namespace tessera
