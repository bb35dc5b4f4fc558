// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rows of explanations, in which equal entries are counted.
///
/// Entries are equal if they differ by numbers alone: a loop of a thousand steps has the entries of
/// one.

#include "tessera/plan/plan_explanation.hpp"

#include <vector>

namespace tessera {

/// Adds an access to the accesses of an operation, merged with an equal one.
void add_access(std::vector<plan_explanation::access>& accesses,
                const plan_explanation::access& added);

/// Adds a note to the notes of an operation or a pass, merged with an equal one.
void add_note(std::vector<plan_explanation::note>& notes, const plan_explanation::note& added);

}  // namespace tessera
