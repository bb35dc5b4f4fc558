// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What operations that walk the same domain may do in one walk.

#include "tessera/plan/operation.hpp"
#include "tessera/plan/planned.hpp"

namespace tessera {

/// Tells whether each step of `how`, which the axes `reduced` are walked in, makes whole chunks of
/// `made`, which has all axes of the domain.
[[nodiscard]] bool makes_whole_chunks(const walk& how, axis_set reduced, const planned_array& made);

}  // namespace tessera
