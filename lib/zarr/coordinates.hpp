// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies the coordinates of the axes of a result from the group of an operand.

#include "tessera/zarr/zarr_destination.hpp"

namespace tessera::detail {

/// Copies the coordinates of `to.coordinates` into the group of `to`, as encoded chunks. Arrays
/// that exist already, or that a run writes, stay.
///
/// Memory: one encoded chunk of a coordinate.
/// Throws: zarr_error <- a group or files are at the path of a coordinate. store_error <- a store
/// fails.
void copy_coordinates(const zarr_destination& to);

}  // namespace tessera::detail
