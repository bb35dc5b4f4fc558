// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The picture of a plan.

#include "plan/api/outcome_picture.hpp"
#include "plan/api/planned.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Returns the picture of `plan` as SVG. Arrays and operations that are alike are drawn as one.
/// `outcomes` of a run: one for each operation, or none.
[[nodiscard]] std::string to_svg(const bounded_plan::implementation& plan,
                                 const std::vector<operation_outcome>& outcomes = {});

}  // namespace tessera
