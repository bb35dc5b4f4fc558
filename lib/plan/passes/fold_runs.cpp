// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/fold_runs.hpp"

#include "plan/blocks_of_tasks.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera {

namespace {

/// Returns the product of `count(axis)` over `axes`.
template <class Count>
double product_over(axis_set axes, std::size_t rank, Count count) {
  double result = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axes[axis]) result *= static_cast<double>(count(axis));
  }
  return result;
}

}  // namespace

fold_runs::fold_runs(fold_schedule schedule, const folds_in& folds, const costs& figures)
    : schedule_(std::move(schedule)),
      figures_(figures),
      runs_(runs_of(schedule_.domain, schedule_.leaf, schedule_.reduced)) {
  for (const index_vector& run : runs_) {
    std::vector<leafy_fold> leafy_folds = folds(run);
    are_side_by_side_ = leafy_folds.size() <= figures_.num_workers();
    // The workers are shared by the folds that combine their states side by side.
    costs costs_of_fold = figures_;
    costs_of_fold.workers = figures_.num_workers() / (are_side_by_side_ ? leafy_folds.size() : 1);
    std::vector<std::shared_ptr<const fold_levels>> levels;
    for (std::size_t i = 0; i < leafy_folds.size(); ++i) {
      const fold_levels* const last = levels_.empty() ? nullptr : levels_.back()[i].get();
      if (last != nullptr && last->fold().num_tasks == leafy_folds[i].num_tasks &&
          last->fold().state_bytes == leafy_folds[i].state_bytes) {
        levels.push_back(levels_.back()[i]);
      } else {
        leafy_folds[i].leaf = run;
        levels.push_back(
            std::make_shared<const fold_levels>(std::move(leafy_folds[i]), costs_of_fold));
      }
    }
    levels_.push_back(std::move(levels));
  }
}

double fold_runs::runs(std::size_t choice) const {
  return static_cast<double>(schedule_.num_blocks) *
         product_over(schedule_.reduced, schedule_.domain.size(), [&](std::size_t axis) {
           return ceil_divide(schedule_.domain[axis], runs_[choice][axis]);
         });
}

double fold_runs::states(std::size_t choice) const {
  double states = 0;
  for (const auto& fold : levels_[choice]) states += fold->states(fold->choice_of(runs_[choice]));
  return states;
}

costs::seconds fold_runs::time_to_merge(std::size_t choice) const {
  double state_of_run = 0;
  for (const auto& fold : levels_[choice]) state_of_run += fold->fold().state_bytes;
  // Merging two states reads both and writes one.
  const double moved = 3 * state_of_run * (leaves_of_run(choice) - 1);
  return costs::seconds{moved / static_cast<double>(figures_.memory_bandwidth.count())};
}

double fold_runs::leaves_of_run(std::size_t choice) const {
  const index_vector& leaf = runs_.front();
  return product_over(schedule_.reduced, schedule_.domain.size(), [&](std::size_t axis) {
    return ceil_divide(runs_[choice][axis], leaf[axis]);
  });
}

costs::seconds fold_runs::time_of_run(std::size_t choice) const {
  return schedule_.work / runs(0) * leaves_of_run(choice) + time_to_merge(choice);
}

double fold_runs::merit(std::size_t choice) const {
  if (states(choice) > schedule_.most_for_states) return std::numeric_limits<double>::infinity();
  double combined_wall = 0;
  double combined_work = 0;
  for (const auto& fold : levels_[choice]) {
    const std::size_t fold_choice = fold->choice_of(runs_[choice]);
    const double wall = fold->wall(fold_choice);
    combined_wall = are_side_by_side_ ? std::max(combined_wall, wall) : combined_wall + wall;
    combined_work += fold->work(fold_choice);
  }
  const double num_runs = runs(choice);
  const blocks_of_tasks blocks =
      choose_blocks_of_tasks(num_runs, time_of_run(choice), figures_, schedule_.longest_task);
  const double num_tasks = std::ceil(num_runs / static_cast<double>(blocks.per_task));
  const double work = schedule_.work.count() + num_runs * time_to_merge(choice).count() +
                      num_tasks * figures_.task.count() + combined_work;
  return (blocks.wall.count() + combined_wall) * std::sqrt(work);
}

std::size_t fold_runs::best() const {
  std::size_t best = runs_.size() - 1;
  double least = merit(best);
  for (std::size_t choice = best; choice-- > 0;) {
    const double candidate_merit = merit(choice);
    if (candidate_merit >= least * (1 - tuning.least_gain)) continue;
    least = candidate_merit;
    best = choice;
  }
  while (best > 0 && runs(best) < few_tasks(figures_) &&
         merit(best - 1) <= least * (1 + tuning.least_gain)) {
    --best;
  }
  while (best > 0 && time_of_run(best) > longest_of_blocks(figures_, schedule_.longest_task) &&
         states(best - 1) <= schedule_.most_for_states) {
    --best;
  }
  return best;
}

std::vector<std::vector<fold_level>> fold_runs::levels(std::size_t choice) const {
  std::vector<std::vector<fold_level>> levels;
  for (const auto& fold : levels_[choice]) {
    levels.push_back(fold->levels(fold->choice_of(runs_[choice])));
  }
  return levels;
}

}  // namespace tessera
