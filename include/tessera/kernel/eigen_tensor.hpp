// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sees computed arrays as Eigen's tensors. Not in tessera.hpp, as Eigen's tensors take a second to
/// compile.

#include <cstddef>
#include <type_traits>
#include <unsupported/Eigen/CXX11/Tensor>

namespace tessera {

/// Returns a view of `array`, an `ndarray`, as a tensor of Eigen in row-major order, which it
/// refers to. Nothing is copied; a constant array gives a view that cannot be written through.
template <class Array>
requires requires(Array& array) {
  array.data();
  array.shape()[0];
  Array::rank;
}
[[nodiscard]] auto eigen_tensor(Array& array) {
  using value = std::remove_pointer_t<decltype(array.data())>;
  constexpr int rank = static_cast<int>(Array::rank);
  using tensor = Eigen::Tensor<std::remove_const_t<value>, rank, Eigen::RowMajor>;
  using mapped = std::conditional_t<std::is_const_v<value>, const tensor, tensor>;
  Eigen::DSizes<Eigen::Index, rank> extents;
  for (std::size_t axis = 0; axis < Array::rank; ++axis) extents[axis] = array.shape()[axis];
  return Eigen::TensorMap<mapped>(array.data(), extents);
}

}  // namespace tessera
