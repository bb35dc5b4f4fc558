// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elements of arrays in memory in the layout of a plan file: dense, with elements that are
/// repeated along an axis written once.

#include "core/api/cache_sizes.hpp"
#include "plan/api/planned.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace tessera {

/// Elements in memory start at multiples of this in a plan file: a cache line.
inline constexpr std::size_t element_alignment = cache_line;

/// Returns the strides with which the elements of a memory source are written.
[[nodiscard]] index_vector written_strides(const index_vector& shape, const index_vector& strides);

/// Returns the bytes that elements of `strides`, as `written_strides` returns them, take.
///
/// Throws: value_error <- a stride is negative, or they take more than 2^62 bytes.
[[nodiscard]] std::size_t written_bytes(const planned_array& array, const index_vector& strides);

/// Calls `sink` with the elements of a memory source, piece by piece.
void write_elements(const planned_array& array,
                    const std::function<void(std::span<const std::byte>)>& sink);

/// Returns `size` rounded up to the alignment of elements.
[[nodiscard]] constexpr std::size_t aligned_for_elements(std::size_t size) {
  return (size + element_alignment - 1) / element_alignment * element_alignment;
}

}  // namespace tessera
