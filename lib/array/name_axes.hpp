// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of the axes of arrays that are stored.

#include "tessera/zarr/zarr_destination.hpp"

#include <string>
#include <vector>

namespace tessera::detail {

/// Gives the axes of `to` names, one for each: an axis "" of the array "u" becomes "u_dim_0" after
/// its place.
void name_axes(zarr_destination& to, std::vector<std::string> names);

}  // namespace tessera::detail
