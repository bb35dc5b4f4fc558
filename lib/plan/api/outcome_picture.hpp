// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The picture of a plan with the outcome of a run.

#include "tessera/plan/bounded_plan.hpp"

#include <string>
#include <vector>

namespace tessera {

/// The outcome of an operation in a run.
struct operation_outcome {
  /// Whether an earlier run has finished tasks of it.
  bool is_resumed = false;
  /// Whether a task of it has ended the run.
  bool has_failed = false;
};

/// Writes the picture of `plan` as SVG: operations that were resumed are hatched, an operation that
/// has failed is red.
///
/// Requires: an outcome for each operation. Throws: store_error <- the file cannot be written.
void draw_outcome(const bounded_plan& plan, const std::vector<operation_outcome>& outcomes,
                  const std::string& target);

}  // namespace tessera
