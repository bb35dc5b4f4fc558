// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The walk over one block: strip after strip is evaluated, and goes into results and folds.

#include "tessera/kernel/block_runner.hpp"

#include "kernel/loop_nest.hpp"

#include <cstddef>
#include <span>

namespace tessera {

/// Evaluates `program` in strips along `axes` of a block with these loops, into `targets`, and
/// folds it into `folds`, whose states lie along `state_strides`; where each has taken `merged`,
/// which is not 0, results are planes of states, and merged. All is walked along `loops`,
/// simplified.
void walk_block(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                const loop_nest& loops, const index_vector& state_strides, const strip_axes& axes,
                index_t merged, std::span<std::byte> scratch);

}  // namespace tessera
