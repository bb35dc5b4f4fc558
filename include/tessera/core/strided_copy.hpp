// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies and fills runs and boxes of elements that lie in memory by strides.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <span>

namespace tessera::detail {

/// Copies a run of `size` elements of `itemsize` bytes. Strides are in bytes. The two must not
/// overlap.
void copy_strided(std::byte* to, index_t to_stride, const std::byte* from, index_t from_stride,
                  index_t size, std::size_t itemsize);

/// Copies a box of `extents` elements of `itemsize` bytes from `from` to `to`, each
/// traversed by its strides, in elements. The two boxes must not overlap. Allocates nothing.
void strided_copy(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
                  std::span<const index_t> from_strides, std::span<const index_t> extents,
                  std::size_t itemsize);

/// As `strided_copy`, from elements that lie in records: `from_strides` are in bytes.
void strided_gather(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
                    std::span<const index_t> from_strides, std::span<const index_t> extents,
                    std::size_t itemsize);

/// Sets each element of a box to the one at `value`. Allocates nothing.
void strided_fill(std::byte* to, std::span<const index_t> to_strides,
                  std::span<const index_t> extents, const std::byte* value, std::size_t itemsize);

/// Reverses the bytes of each element.
void swap_bytes(std::span<std::byte> elements, std::size_t itemsize);

}  // namespace tessera::detail
