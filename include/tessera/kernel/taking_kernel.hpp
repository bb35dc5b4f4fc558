// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels that take the elements of an array at the indices in other arrays.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// The elements of an array that are taken.
struct taken_elements {
  /// The function in errors.
  std::string function;
  /// The shape of the array, and the axes of it that indices are along, which follow each other.
  index_vector shape;
  std::size_t first_axis = 0;
  std::size_t num_axes = 1;
  /// The axes of the result that indices have.
  std::size_t first_listed = 0;
  std::size_t num_listed = 0;
  /// Of the elements of the array, and of indices: of one for each axis that they are along, or of
  /// one that numbers their elements in row-major order.
  dtype type{};
  std::vector<dtype> indices;
};

/// Returns the kernel that takes elements of type `type` by indices of types `indices`.
///
/// It sees the array along the axes of the result, and behind them along those that indices are
/// along, which are streamed; and indices along the axes of the result. Its workspace holds 4 bytes
/// for each index, 8 if there are more than 2^32, unless one step takes the whole array: in the
/// first step they are put in the order of the steps.
/// Threads: may be called at any time.
[[nodiscard]] const block_kernel& taking_kernel(dtype type, std::span<const dtype> indices);
[[nodiscard]] kernel_parameters taking_parameters(const taken_elements& elements);

}  // namespace tessera
