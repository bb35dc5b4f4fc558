// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether the results of a run can go to their places: asked before anything is computed.

#include "tessera/plan/bounded_plan.hpp"

namespace tessera {

/// Throws where an array cannot go to its place: zarr_error as `detail::require_room`; shape_error
/// where an array of the group has an axis of the same name and another extent, unless the names
/// were asked for.
void check_room(const zarr_destination& to);

/// Throws where a result of `plan` cannot go to its place; what its results take the place of does
/// not count. value_error where a result would become an array that holds the work directory.
void check_room(const bounded_plan::implementation& plan);

}  // namespace tessera
