// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The picture of a plan.

#include "plan/api/planned.hpp"

#include <string>

namespace tessera {

/// Returns the picture of `plan` as SVG. Arrays and operations that are alike are drawn as one.
[[nodiscard]] std::string to_svg(const bounded_plan::implementation& plan);

}  // namespace tessera
