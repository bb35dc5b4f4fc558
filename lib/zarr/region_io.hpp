// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads of boxes of elements, one chunk at a time.

#include "tessera/core/region.hpp"

#include "zarr/array_state.hpp"

#include <cstddef>
#include <span>

namespace tessera::detail {

/// The buffers of a call.
struct workspace {
  std::span<std::byte> decoded;
  std::span<std::byte> encoded;
};

/// As `array_source::read_region`.
bool read_region(const zarr_array_state& array, const region& box, std::span<std::byte> into,
                 const workspace& buffers, std::span<const index_t> steps,
                 std::span<const index_t> strides);

}  // namespace tessera::detail
