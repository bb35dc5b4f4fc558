// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The lifetimes of the values of a task that has several stages.
///
/// Problem: values share bytes of the task's memory if they never live at once. A value may be
/// computed in one loop and read in another, or stay from one iteration of a loop to the next.
///
/// Idea: a list of stages, each at a scope, spells a loop nest. Number its steps in the order of
/// the list. A value belongs to the innermost loop that holds its accesses and whose iterations it
/// does not survive. Its lifetime is the hull of its accesses and of every loop inside that one
/// which contains an access:
///
///     stages    [ a  b ]  c         a, b: at each step; c: at each sweep
///     a -> b    |----|              belongs to the loop over steps
///     b -> c    |---------|         belongs to the sweep: all of the loop over steps
///
/// Invariant: between a write and a read of a value, a task passes only steps of its lifetime: if
/// it passes the back edge of a loop inside, then the loop is in the lifetime as a whole. So values
/// with disjoint lifetimes may share bytes.

#include "tessera/primitive/primitive.hpp"

#include <span>
#include <vector>

namespace tessera::detail {

/// A loop of a task: over the steps of a sweep, or over the sweeps of the task. It has the steps
/// [first, last] of the list.
struct stage_loop {
  task_scope over = task_scope::step;
  lifetime steps;
};

/// Returns the loops that a list of stages at `scopes` spells, each step being one stage: a maximal
/// run of stages below the task is a loop over sweeps, and in it a maximal run of stages at steps
/// is a loop over steps. Inner loops come first.
[[nodiscard]] std::vector<stage_loop> loops_of(std::span<const task_scope> scopes);

/// Returns the lifetime of a value with `accesses`, at least one.
///
/// `kept` is the scope that it is kept for: a value that is kept for a sweep survives the
/// iterations of loops over steps, and one that is kept for the task survives all iterations.
[[nodiscard]] lifetime value_lifetime(std::span<const stage_loop> loops,
                                      std::span<const lifetime> accesses, task_scope kept);

}  // namespace tessera::detail
