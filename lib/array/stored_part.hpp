// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts of arrays that are there, as places of results.

#include "tessera/array/in_out.hpp"

#include <optional>

namespace tessera::detail {

/// Returns the element that the fill value of the options is; nothing where there is none.
[[nodiscard]] std::optional<element_bytes> fill_of(const store_options& options,
                                                   const data_type& type);

/// Returns the region of the options in the array at `where`, for an array of `type` and `shape`.
[[nodiscard]] zarr_destination make_part(zarr_location where, const data_type& type,
                                         const index_vector& shape, const store_options& options);

/// Returns `array`, of the given layout, with the elements around it that are in the same chunks of
/// the destination and keep their values; `array` itself if there is none.
[[nodiscard]] array_handle with_border(const array_handle& array, const array_layout& layout,
                                       const array_destination& destination);

}  // namespace tessera::detail
