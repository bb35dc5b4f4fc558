// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stages of an operation, for people.

#include "tessera/core/bytes.hpp"
#include "tessera/primitive/loop_schedule.hpp"
#include "tessera/primitive/primitive.hpp"

#include <string>
#include <vector>

namespace tessera {

/// A stage of an operation: its formula, and its place in the loops of a task.
struct described_stage {
  std::string label;
  /// The part of a task that it computes at once, or takes its steps in.
  task_scope at = task_scope::task;
  /// Its work buffers, and its outputs that never leave the task.
  bytes buffers{};
};

/// Returns the stages of `op`, the primitive of `operation`, in the order of their runs. Returns
/// nothing if `op` is one primitive alone.
[[nodiscard]] std::vector<described_stage> describe_stages(const primitive& op,
                                                           const std::string& operation,
                                                           const loop_schedule& schedule,
                                                           const operand_words& words);

}  // namespace tessera
