// SPDX-License-Identifier: Apache-2.0
/// \file
/// The search among plans: a queue of moves from plan to plan.
///
/// The passes make the first plan, each by its own price. But a pass may spoil a plan for later
/// passes: a fused operation has fewer tasks, needs more memory, or reads its inputs in blocks that
/// overlap. A move changes one choice of the best plan so far, and is tried by a whole plan:
///     switch a pass off, or on again
///     materialize an array that passes have fused away, or no longer
///     let each reader compute the arrays that memory has no room for
///     copy the arrays that gathers read often into their own chunks
///     put all arrays between operations into storage
///     let passes give tasks less memory than is allowed, or all of it again
/// A plan is better if it exceeds its memory by less, then if its merit is less. A move is taken if
/// it leads to a better plan; then moves that were refused return to the queue, each at most
/// `tuning.most_tries` times. The search ends with the queue, or when the attempts at a plan that
/// keeps to its memory have priced `tuning.most_pairs_of_search` pairs of operands.
///     1. repair   moves of a plan that exceeds its memory: single passes, then more and more of
///                 them, then storage, then smaller tasks
///     2. improve  moves of a plan that keeps to its memory. If the plan is not good after them,
///                 they are tried from the repaired plan on with arrays before passes.
/// Plans of many operations, or of short runs, are repaired, and passes are switched on again.
/// Invariant: the search takes no worse plan, and depends on nothing but the program and the
/// limits.

#include "plan/search.hpp"

#include "plan/attempts.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using pass_switch = bool pass_switches::*;

/// A plan of the search, and its worth.
struct candidate_plan {
  explicit candidate_plan(bounded_plan::implementation planned)
      : plan(std::make_shared<bounded_plan::implementation>(std::move(planned))),
        excess(choices().passes.bound_memory ? excess_memory(*plan) : bytes{0}),
        cost(cost_when_planned(*plan)) {}

  [[nodiscard]] const plan_choices& choices() const { return plan->graph->origin->choices; }
  [[nodiscard]] bool fits() const { return excess == bytes{0}; }
  /// Tells whether a search takes too long beside the plan's operations.
  [[nodiscard]] bool has_many_operations() const {
    return plan->graph->asked.steps.size() > tuning.most_replanned;
  }
  [[nodiscard]] bool is_long_run() const { return cost.wall >= tuning.least_replanned; }
  [[nodiscard]] bool is_good() const;

  /// Tells whether this plan is better than `rhs` by more than `saving` of the merit.
  [[nodiscard]] bool is_better_than(const candidate_plan& rhs, double saving) const {
    if (excess != rhs.excess) return excess < rhs.excess;
    return fits() && cost.merit() * (1 + saving) < rhs.cost.merit();
  }

  std::shared_ptr<bounded_plan::implementation> plan;
  bytes excess;
  plan_cost cost;
  std::vector<left_out_pass> left_out = {};
};

/// Tells whether the plan moves little more than its inputs and results, and keeps workers busy.
bool candidate_plan::is_good() const {
  const double moved = static_cast<double>((cost.bytes_read + cost.bytes_written).count());
  return moved <= tuning.good_excess * least_moved(*plan) &&
         cost.wall * static_cast<double>(cost.num_workers) <= cost.work * tuning.good_excess;
}

/// The choices of a next plan, and the least share of the merit that it must save.
struct next_plan {
  plan_choices choices;
  double least_saving = any_saving;
};

/// A move of the search.
struct plan_move {
  /// Returns the next plan, or nullopt if the move does not apply to `best`.
  std::function<std::optional<next_plan>(const candidate_plan& best)> next;
  int num_tries = 0;
};

/// Returns the rows of passes for which `has_part` holds, in their order.
template <class Predicate>
std::vector<named_pass> passes_with(Predicate has_part) {
  std::vector<named_pass> passes;
  std::ranges::copy_if(all_passes, std::back_inserter(passes), has_part, &named_pass::choice);
  return passes;
}

/// Returns the passes that are left out if a plan exceeds its memory, in their turn.
std::vector<pass_switch> passes_by_turn(const candidate_plan& first) {
  std::vector<named_pass> passes =
      passes_with([](const pass_choice& choice) { return choice.turn_to_go > 0; });
  std::ranges::stable_sort(passes, {},
                           [](const named_pass& pass) { return pass.choice.turn_to_go; });
  std::vector<pass_switch> changed;
  for (const named_pass& pass : passes) {
    if (first.has_many_operations() && !pass.choice.may_need_memory) continue;
    if (has_changed(*first.plan, pass.is_on)) changed.push_back(pass.is_on);
  }
  return changed;
}

/// Leaves `passes` out.
plan_move leave_out(std::vector<pass_switch> passes) {
  return {[passes = std::move(passes)](const candidate_plan& best) -> std::optional<next_plan> {
    if (best.fits()) return std::nullopt;
    plan_choices fewer = best.choices();
    bool has_changed = false;
    for (const pass_switch pass : passes) has_changed |= std::exchange(fewer.passes.*pass, false);
    if (!has_changed) return std::nullopt;
    return next_plan{fewer};
  }};
}

/// Puts all arrays between operations into storage. Such plans cut blocks for the codecs of the
/// arrays that they read.
std::optional<next_plan> store_all(const candidate_plan& best) {
  if (best.fits() || !best.choices().passes.memory_tier) return std::nullopt;
  plan_choices choices = best.choices();
  choices.passes.memory_tier = false;
  return next_plan{choices};
}

/// Lets passes keep tasks below the allowed memory by the excess of the tasks. Passes assume that
/// an array between operations is in memory: if it is in storage instead, its chunks and codec need
/// more.
std::optional<next_plan> shrink_tasks(const candidate_plan& best) {
  const bytes allowed = best.plan->graph->origin->allowed_memory;
  const bytes task = task_memory(*best.plan);
  const bytes limit = best.plan->spec.allowed_memory;
  if (task <= limit || task - limit >= allowed || best.has_many_operations()) return std::nullopt;
  plan_choices choices = best.choices();
  choices.allowed_memory = allowed - (task - limit);
  return next_plan{choices};
}

/// Returns the moves of a plan that exceeds its memory. Very many operations take long to plan:
/// they get few moves.
std::vector<plan_move> repairs_of(const candidate_plan& first) {
  std::vector<plan_move> moves;
  const std::vector<pass_switch> passes = passes_by_turn(first);
  if (first.has_many_operations()) {
    moves.push_back(leave_out(passes));
  } else {
    for (const pass_switch pass : passes) moves.push_back(leave_out({pass}));
    for (std::size_t count = 2; count <= passes.size(); ++count) {
      moves.push_back(leave_out({passes.begin(), passes.begin() + static_cast<index_t>(count)}));
    }
  }
  moves.push_back({store_all});
  moves.push_back({shrink_tasks});
  return moves;
}

/// Lets each reader compute the arrays that memory has no room for.
std::optional<next_plan> recompute_arrays(const candidate_plan& best) {
  const std::vector<std::size_t> arrays = arrays_without_room(*best.plan);
  if (arrays.empty() || best.has_many_operations()) return std::nullopt;
  plan_choices choices = best.choices();
  choices.recomputed.insert(choices.recomputed.end(), arrays.begin(), arrays.end());
  return next_plan{choices};
}

/// Keeps the chunks of the arrays that gathers read often.
std::optional<next_plan> rechunk_for_gathers(const candidate_plan& best) {
  if (!best.is_long_run() || best.has_many_operations()) return std::nullopt;
  const std::vector<std::size_t> arrays = gathered_often(*best.plan);
  if (arrays.empty()) return std::nullopt;
  plan_choices choices = best.choices();
  choices.rechunked.insert(choices.rechunked.end(), arrays.begin(), arrays.end());
  return next_plan{choices};
}

/// Lets passes give tasks all of the allowed memory again.
std::optional<next_plan> enlarge_tasks(const candidate_plan& best) {
  if (!best.choices().allowed_memory) return std::nullopt;
  plan_choices choices = best.choices();
  choices.allowed_memory.reset();
  return next_plan{choices};
}

/// Switches `pass` off, or on again if it is on in the choices `asked`.
plan_move toggle(const named_pass& pass, const pass_switches& asked) {
  return {[pass, asked](const candidate_plan& best) -> std::optional<next_plan> {
    next_plan next{best.choices()};
    bool& is_on = next.choices.passes.*pass.is_on;
    is_on = !is_on;
    if (is_on) return asked.*pass.is_on ? std::optional(next) : std::nullopt;
    const bool may_go = best.is_long_run() && !best.has_many_operations();
    if (!may_go || !has_changed(*best.plan, pass.is_on)) return std::nullopt;
    next.least_saving = *pass.choice.least_saving;
    return next;
  }};
}

/// Materializes the array with the number `serial`, or no longer, while the plan is not good.
plan_move toggle(std::size_t serial) {
  return {[serial](const candidate_plan& best) -> std::optional<next_plan> {
    if (!best.is_long_run() || best.has_many_operations() || best.is_good()) return std::nullopt;
    plan_choices choices = best.choices();
    if (std::erase(choices.materialized, serial) == 0) choices.materialized.push_back(serial);
    return next_plan{choices};
  }};
}

std::vector<plan_move> moves_of_passes(const pass_switches& asked) {
  std::vector<plan_move> moves;
  for (const named_pass& pass :
       passes_with([](const pass_choice& choice) { return choice.least_saving.has_value(); })) {
    moves.push_back(toggle(pass, asked));
  }
  return moves;
}

std::vector<plan_move> moves_of_arrays(const candidate_plan& start) {
  std::vector<plan_move> moves;
  if (!start.is_long_run() || start.has_many_operations()) return moves;
  for (const std::size_t serial : missing_arrays(*start.plan)) {
    if (moves.size() == tuning.most_materialized) break;
    moves.push_back(toggle(serial));
  }
  return moves;
}

std::vector<plan_move> joined(std::vector<plan_move> first, const std::vector<plan_move>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns the reason for which `lost` lost to `won`.
std::string refusal(const candidate_plan& lost, const candidate_plan& won) {
  if (!lost.fits()) return memory_refusal(*lost.plan);
  const auto figures = [](const plan_cost& cost) {
    return fmt::format("{} of work, {}", format_time(cost.work), format_time(cost.wall));
  };
  const std::string of_lost = figures(lost.cost);
  const std::string of_won = figures(won.cost);
  if (of_lost == of_won) return fmt::format("no better: {}", of_lost);
  return fmt::format("{} on {} workers, in place of {}", of_lost, lost.cost.num_workers, of_won);
}

/// Adds the passes that are on in `before` and off in `after` to the passes that `after` lists as
/// left out, and removes the passes that are on again.
void note_passes(const candidate_plan& before, candidate_plan& after) {
  after.left_out = before.left_out;
  for (const named_pass& pass : all_passes) {
    if (pass.is_on == nullptr) continue;
    const bool is_on = after.choices().passes.*pass.is_on;
    if (is_on == before.choices().passes.*pass.is_on) continue;
    std::erase_if(after.left_out, [&](const left_out_pass& off) { return off.pass == pass.is_on; });
    if (!is_on) after.left_out.push_back({pass.is_on, before.cost, after.cost, !before.fits()});
  }
}

/// The search from one plan on.
class move_queue {
 public:
  move_queue(plan_search& search, const plan_maker& make) : search_(search), make_(make) {}

  /// Returns the plan that `moves` lead to from `start`.
  candidate_plan run(candidate_plan start, const std::vector<plan_move>& moves) {
    candidate_plan best = std::move(start);
    std::deque<plan_move> queue(moves.begin(), moves.end());
    std::deque<plan_move> refused;
    while (!queue.empty()) {
      plan_move move = std::move(queue.front());
      queue.pop_front();
      if (best.fits() && search_.priced_pairs > tuning.most_pairs_of_search) {
        search_.has_moves_left |= move.next(best).has_value();
        continue;
      }
      if (std::optional<candidate_plan> next = try_move(move, best)) {
        lose(search_, *best.plan, refusal(best, *next));
        note_passes(best, *next);
        best = *std::move(next);
        queue.insert(queue.end(), refused.begin(), refused.end());
        refused.clear();
      }
      if (move.num_tries < tuning.most_tries) refused.push_back(std::move(move));
    }
    return best;
  }

 private:
  /// Returns the plan that `move` leads to, or nullopt if it does not apply or is refused.
  std::optional<candidate_plan> try_move(plan_move& move, const candidate_plan& best) {
    const std::optional<next_plan> target = move.next(best);
    if (!target) return std::nullopt;
    ++move.num_tries;
    candidate_plan next(make_(target->choices));
    if (next.is_better_than(best, target->least_saving)) return next;
    lose(search_, *next.plan, refusal(next, best));
    return std::nullopt;
  }

  plan_search& search_;
  const plan_maker& make_;
};

}  // namespace

bounded_plan::implementation find_best_plan(const pass_switches& passes, plan_search& search,
                                            const plan_maker& make) {
  move_queue queue(search, make);
  candidate_plan first(make({passes}));
  candidate_plan start = first.fits() ? first : queue.run(first, repairs_of(first));
  if (!start.fits()) {
    if (start.plan != first.plan) lose(search, *start.plan, memory_refusal(*start.plan));
    start = first;
  }
  candidate_plan best = start;
  if (start.fits()) {
    const std::vector<plan_move> of_passes = joined(
        {{recompute_arrays}, {rechunk_for_gathers}, {enlarge_tasks}}, moves_of_passes(passes));
    const std::vector<plan_move> of_arrays = moves_of_arrays(start);
    best = queue.run(start, joined(of_passes, of_arrays));
    if (!of_arrays.empty() && best.left_out.size() > start.left_out.size() && !best.is_good()) {
      candidate_plan other = queue.run(start, joined(of_arrays, of_passes));
      if (other.is_better_than(best, 0)) std::swap(other, best);
      lose(search, *other.plan, refusal(other, best));
    }
  }
  plan_origin& origin = *best.plan->graph->origin;
  search.attempts[origin.attempt].why_lost.clear();
  origin.left_out = std::move(best.left_out);
  return std::move(*best.plan);
}

}  // namespace tessera
