// SPDX-License-Identifier: Apache-2.0
#include "plan/blocks_of_tasks.hpp"

#include "plan/tuning.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

double few_tasks(const costs& figures) {
  return std::min<double>(tuning.few_for_a_worker * static_cast<double>(figures.num_workers()),
                          costs::many_workers);
}

costs::seconds longest_of_blocks(const costs& figures, costs::seconds longest) {
  return std::max(longest - figures.task, longest / 2);
}

// In r rounds of g blocks a task, r * g is at least the number of rounds of one block a task. So
// the starts of tasks alone are saved.
bool may_save_by_long_tasks(double num_blocks, const costs& figures) {
  const double num_rounds = std::ceil(num_blocks / static_cast<double>(figures.num_workers()));
  return (num_rounds - 1) * figures.task >= tuning.least_saved_by_long_tasks;
}

blocks_of_tasks choose_blocks_of_tasks(double num_blocks, costs::seconds block,
                                       const costs& figures, costs::seconds longest) {
  const auto num_workers = static_cast<double>(figures.num_workers());
  const auto wall_of = [&](double per_task) {
    const double num_tasks = std::ceil(num_blocks / per_task);
    return std::ceil(num_tasks / num_workers) * (per_task * block + figures.task);
  };
  const double most_blocks = std::floor(num_blocks / few_tasks(figures));
  blocks_of_tasks best{1, wall_of(1)};
  if (!may_save_by_long_tasks(num_blocks, figures)) return best;
  const costs::seconds most = best.wall - tuning.least_saved_by_long_tasks;
  // In each number of rounds of all workers, from many rounds to one, tasks take as few blocks as
  // they can.
  for (double rounds = std::ceil(num_blocks / num_workers); rounds >= 1;
       rounds = std::floor(rounds * tuning.ratio_of_rounds)) {
    const double per_task = std::ceil(num_blocks / (rounds * num_workers));
    if (per_task > most_blocks || per_task * block > longest_of_blocks(figures, longest)) break;
    const costs::seconds wall = wall_of(per_task);
    if (wall <= most && wall < best.wall * (1 - tuning.least_gain)) {
      best = {static_cast<index_t>(per_task), wall};
    }
  }
  return best;
}

}  // namespace tessera
