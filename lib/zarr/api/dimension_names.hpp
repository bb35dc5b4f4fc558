// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of an array's dimensions, as writers of Zarr v2 state them.

#include "tessera/storage/attributes.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The attributes that may name dimensions.
inline constexpr std::array<std::string_view, 3> attributes_of_dimensions{
    "_ARRAY_DIMENSIONS", "_nczarr_array", "_NCZARR_ARRAY"};

/// Returns the names of `rank` dimensions, or no names if they are absent or do not fit. xarray
/// writes them as the attribute `_ARRAY_DIMENSIONS`. NetCDF writes "dimrefs" of `_nczarr_array`: an
/// attribute, or in older versions a member of `.zarray`.
[[nodiscard]] std::vector<std::string> names_of_dimensions(const attributes& values,
                                                           const attributes& other_members,
                                                           std::size_t rank);

}  // namespace tessera::detail
