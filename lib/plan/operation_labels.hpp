// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The labels of a plan's operations, for people.

#include "plan/api/planned.hpp"

namespace tessera {

/// Labels all operations, and gives their outputs formulas. Only the chosen plan has them, as the
/// search among plans needs no texts. Requires: `complete` of each operation.
void add_labels(bounded_plan::implementation& plan);

}  // namespace tessera
