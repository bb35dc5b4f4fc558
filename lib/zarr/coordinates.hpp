// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Coordinates of the axes of a result, which are copied from the group of an operand.

#include "tessera/zarr/zarr_destination.hpp"

namespace tessera::detail {

/// Copies the coordinates of `to.coordinates` into the group of `to`, chunk by chunk as they are
/// encoded. Arrays that are there already, or that a run writes, stay.
///
/// Memory: one encoded chunk of a coordinate.
/// Throws: zarr_error <- a group or files are at the place of one. store_error <- a store fails.
void copy_coordinates(const zarr_destination& to);

}  // namespace tessera::detail
