// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Regions of existing arrays as destinations of results.

#include "tessera/array/in_out.hpp"

#include <optional>

namespace tessera::detail {

/// Returns the fill value of the options as an element, or nullopt without one.
[[nodiscard]] std::optional<element_bytes> fill_of(const store_options& options,
                                                   const data_type& type);

/// Returns the version of the format of a new array at `to`: that of the group above it, else the
/// one that is asked for, else `otherwise`.
///
/// Throws: value_error <- a version is asked for, and the group is of another one.
[[nodiscard]] int format_for(const zarr_destination& to, std::optional<int> asked, int otherwise);

/// Returns the region of the options in the array at `where`, for an array of `type` and `shape`.
[[nodiscard]] zarr_destination make_part(zarr_location where, const data_type& type,
                                         const index_vector& shape, const store_options& options);

/// Returns `array` extended to whole chunks of the destination; the elements around it keep their
/// values. Returns `array` itself if it covers whole chunks.
[[nodiscard]] array_handle with_border(const array_handle& array, const array_layout& layout,
                                       const array_destination& destination);

}  // namespace tessera::detail
