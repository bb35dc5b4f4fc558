// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the intermediates of a plan are called, so that another plan of the same program finds
/// them.

#include "tessera/plan/bounded_plan.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Returns a name for each array of a plan that is an intermediate in storage, empty for others: 32
/// hexadecimal digits that are equal in two plans of one program where what the array is computed
/// as, and its chunks, are.
///
/// Throws: value_error <- as `bounded_plan::check_portable`.
[[nodiscard]] std::vector<std::string> names_of_intermediates(
    const bounded_plan::implementation& plan);

}  // namespace tessera
