// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where the results of a plan go, all of them together.

#include "tessera/plan/bounded_plan.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Throws where the outputs of one plan stand in each other's way: value_error where two go to one
/// place, or one into another; shape_error where two in one group have an axis of one name and of
/// extents that differ, and the names of the later one were not asked for.
void check_together(const std::vector<plan_output>& outputs);

/// Throws shape_error if an array of `names` and `shape`, which people call `other`, has an axis of
/// a name that `to` has as well, and of another extent.
void check_extents(const zarr_destination& to, const std::string& other,
                   const std::vector<std::string>& names, const index_vector& shape);

}  // namespace tessera
