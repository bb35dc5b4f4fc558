// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The number of blocks that a task takes one after the other.

#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

namespace tessera {

/// The blocks of each task of an operation, and the time of all its tasks.
struct blocks_of_tasks {
  index_t per_task = 1;
  costs::seconds wall{};
};

/// Returns a number of tasks below which more tasks are worth `tuning.least_gain`: progress is
/// finer, a stopped run resumes later, and all workers stay busy to the end.
[[nodiscard]] double few_tasks(const costs& figures);

/// Returns the longest time that the blocks of a task may take, of tasks of at most `longest`. At
/// least half of that is for blocks, however long a task takes to start.
[[nodiscard]] costs::seconds longest_of_blocks(const costs& figures, costs::seconds longest);

/// Tells whether fewer tasks for `num_blocks` may save `tuning.least_saved_by_long_tasks`.
[[nodiscard]] bool may_save_by_long_tasks(double num_blocks, const costs& figures);

/// Returns the best number of blocks for a task of an operation of `num_blocks` blocks, each of
/// which takes `block` beside the fixed cost of a task.
///
/// A task takes several blocks if all workers together end clearly earlier, by
/// `tuning.least_saved_by_long_tasks` at least, as they start fewer tasks. There are `few_tasks` of
/// such tasks at least, and the blocks of each take at most `longest_of_blocks`.
[[nodiscard]] blocks_of_tasks choose_blocks_of_tasks(double num_blocks, costs::seconds block,
                                                     const costs& figures, costs::seconds longest);

}  // namespace tessera
