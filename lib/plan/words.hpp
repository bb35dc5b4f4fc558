// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How tables, pictures, explanations and errors keep to a line what they say of a plan.

#include "tessera/core/costs.hpp"
#include "tessera/core/text.hpp"
#include "tessera/plan/planned.hpp"

#include <string>

namespace tessera {

struct left_out_pass;

/// Returns what `array` holds, in words: what it is computed as, or its name.
[[nodiscard]] const std::string& words_for(const planned_array& array);

/// Returns where the elements of `array` are, in words; a path in the working directory is said as
/// seen from there.
[[nodiscard]] std::string place_of(const planned_array& array);

/// Returns that `array` is asked for; where it is stored, in which chunks, and what it takes to ask
/// for one if that is longer than to move it.
[[nodiscard]] std::string asked_for(const planned_array& array, const costs& figures);

/// Returns why a plan is made without a pass: both costs, or that with it there is none.
[[nodiscard]] std::string why_left_out(const left_out_pass& one);

}  // namespace tessera
