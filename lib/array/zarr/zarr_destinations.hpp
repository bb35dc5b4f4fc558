// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Translates the options of `store` into destinations in Zarr.

#include "tessera/array/in_out.hpp"
#include "tessera/zarr/zarr_destination.hpp"
#include "tessera/zarr/zarr_location.hpp"
#include "tessera/zarr/zarr_v2.hpp"

#include <optional>

namespace tessera::detail {

/// Returns the options of the encoding.
[[nodiscard]] zarr_v2 encoding_of(const store_options& options);

/// Returns the version of Zarr, 2 or 3, for a new array at `to`: that of its parent group, else
/// `asked`, else `otherwise`.
///
/// Throws: value_error <- `asked` is not the version of the parent group.
[[nodiscard]] int format_for(const zarr_destination& to, std::optional<int> asked, int otherwise);

/// Returns the destination of an array of `layout` and `type`. Throws: as `destination_of`.
[[nodiscard]] zarr_destination make_destination(zarr_location location, const data_type& type,
                                                const array_layout& layout,
                                                const store_options& options);

/// Returns the destination of an array of `type` and `shape` in a region, which `options` give, of
/// the stored array at `location`.
[[nodiscard]] zarr_destination make_part(zarr_location location, const data_type& type,
                                         const index_vector& shape, const store_options& options);

}  // namespace tessera::detail
