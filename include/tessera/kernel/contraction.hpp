// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The matrix product of two blocks, accumulated into a third.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/block_kernel.hpp"

#include <concepts>
#include <cstdint>

namespace tessera::contraction {

/// Returns the kernel of `out += a * b`, of blocks (rows, inner), (inner, columns) and (rows,
/// columns); its start sets `out` to zero.
///
/// float32 and float64 call BLAS where the library was built with one, and Eigen otherwise; both
/// run on the calling thread alone and accumulate in the dtype itself. While calls are under way,
/// OpenBLAS is held at one thread for the whole process; its setting is put back when the last of
/// them returns. Products and sums of integers wrap.
/// Requires: `T` is a number's type, and not float16.
template <element T>
requires(!std::same_as<T, bool>) [[nodiscard]] const block_kernel& matmul();

// clang-format off
extern template const block_kernel& matmul<std::int8_t>();
extern template const block_kernel& matmul<std::int16_t>();
extern template const block_kernel& matmul<std::int32_t>();
extern template const block_kernel& matmul<std::int64_t>();
extern template const block_kernel& matmul<std::uint8_t>();
extern template const block_kernel& matmul<std::uint16_t>();
extern template const block_kernel& matmul<std::uint32_t>();
extern template const block_kernel& matmul<std::uint64_t>();
extern template const block_kernel& matmul<float>();
extern template const block_kernel& matmul<double>();
extern template const block_kernel& matmul<complex64>();
extern template const block_kernel& matmul<complex128>();
// clang-format on

}  // namespace tessera::contraction
