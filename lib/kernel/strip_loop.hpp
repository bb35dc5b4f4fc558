// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loops over one block: evaluates strip after strip, for results and folds.

#include "tessera/kernel/block_runner.hpp"

#include "kernel/loop_nest.hpp"

#include <cstddef>
#include <span>

namespace tessera {

/// Evaluates `program` in strips along `axes` of a block into `targets`, and folds it into `folds`.
/// The states of folds lie along `state_strides`. If `merged` is not 0, results are state fields of
/// states of `merged` elements each, and are merged. Requires: `loops` is simplified.
void run_strips(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                const loop_nest& loops, const index_vector& state_strides, const strip_axes& axes,
                index_t merged, std::span<std::byte> scratch);

}  // namespace tessera
