// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of an array's dimensions, as writers of Zarr v2 state them.

#include "tessera/zarr/attributes.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::detail {

/// Returns the names of `rank` dimensions: those of the attribute `_ARRAY_DIMENSIONS` (xarray), or
/// of the member "dimrefs" of `_nczarr_array` (NetCDF), which stands among the attributes or, as
/// older versions write it, among the members of `.zarray`. None if they are absent or do not fit.
[[nodiscard]] std::vector<std::string> names_of_dimensions(const attributes& values,
                                                           const attributes& other_members,
                                                           std::size_t rank);

}  // namespace tessera::detail
