// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The check that nothing is stored over an array that it is made from.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/zarr/zarr_array.hpp"

namespace tessera {

/// Throws value_error if `target` is the place of `source`, or one above it, however they are
/// named.
void refuse_overwriting(const zarr_array& source, const zarr_destination& target);

/// Throws value_error if a result of `plan` goes to the place of an array that it reads.
void refuse_overwriting(const bounded_plan::implementation& plan);

}  // namespace tessera
