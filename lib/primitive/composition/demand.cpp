// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of a task with several stages, by step.
///
/// Each primitive numbers its own steps. The steps of the stages follow each other in the order of
/// the list; behind them comes a step for each output that leaves. The lifetime of every value, an
/// operand, an output or a work buffer, follows from its accesses in these steps by one rule
/// (`value_lifetime`).

#include "primitive/composition/composition.hpp"
#include "primitive/composition/halo.hpp"
#include "primitive/composition/layout.hpp"
#include "primitive/composition/lifetimes.hpp"
#include "primitive/operand_demand.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using detail::stage_layout;
using detail::stage_loop;
using detail::value_lifetime;

lifetime shifted(const lifetime& steps, std::size_t by) {
  return {steps.first + by, steps.last + by};
}

/// Returns the number of steps of a stage.
std::size_t count_steps(const task_demand& needs) {
  std::size_t last = needs.last_repeated_step;
  for (const operand_demand& operand : needs.operands) {
    if (operand.is_used) last = std::max(last, operand.used.last);
  }
  for (const output_demand& output : needs.outputs) last = std::max(last, output.live_steps.last);
  return last + 1;
}

/// Tells whether outputs of a stage leave inside its loop.
bool leaves_in_loop(const task_demand& needs) {
  return std::ranges::any_of(needs.outputs, [&](const output_demand& output) {
    return needs.last_repeated_step >= output.live_steps.last;
  });
}

/// The demand of a composition, put together stage by stage.
class demand_builder {
 public:
  demand_builder(const std::vector<stage>& stages, const loop_schedule& schedule,
                 std::size_t num_operands)
      : stages_(stages), schedule_(schedule), layouts_(detail::lay_out(stages, schedule)) {
    needs_.operands.resize(num_operands);
    for (const stage_layout& layout : layouts_) {
      begins_.push_back(num_steps_);
      num_steps_ += count_steps(layout.needs);
    }
    add_loops();
  }

  task_demand build() {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      add_operands(s);
      add_buffers(s);
      needs_.scratch = std::max(needs_.scratch, layouts_[s].needs.scratch);
      const std::vector<buffer_demand>& kept = layouts_[s].needs.kept;
      needs_.kept.insert(needs_.kept.end(), kept.begin(), kept.end());
    }
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (stages_[s].is_emitted) add_outputs(s);
    }
    return std::move(needs_);
  }

 private:
  [[nodiscard]] std::size_t num_emitted() const {
    std::size_t count = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (stages_[s].is_emitted) count += layouts_[s].slots.size();
    }
    return count;
  }

  /// Tells whether stage `s` is started at a sweep and takes its steps.
  [[nodiscard]] bool goes_in_steps(std::size_t s) const {
    return stages_[s].at == task_scope::step && stages_[s].is_leading();
  }

  /// Returns the steps of the loop of its own that stage `s`, which runs as a whole, goes through;
  /// nullopt if it has no such loop or takes the steps of the operation.
  [[nodiscard]] std::optional<lifetime> inner_loop(std::size_t s) const {
    const std::size_t last = layouts_[s].needs.last_repeated_step;
    if (goes_in_steps(s) || last == 0) return std::nullopt;
    return shifted({0, last}, begins_[s]);
  }

  /// Returns `used`, steps in which stage `s` has an operand or an output, as steps of the task.
  ///
  /// Operands are read once, for all iterations of an inner loop, so both stay until its end. If
  /// the first iteration reads all operands, none is read over a value that is there already. An
  /// operand of several pieces may be read in any iteration: values then stay for the whole loop.
  [[nodiscard]] lifetime in_task(std::size_t s, const lifetime& used) const {
    lifetime steps = shifted(used, begins_[s]);
    const std::optional<lifetime> loop = inner_loop(s);
    if (!loop || steps.first > loop->last) return steps;
    const bool has_pieces = stages_[s].op->most_pieces(layouts_[s].results.schedule) > 1;
    if (has_pieces) steps.first = loop->first;
    steps.last = std::max(steps.last, loop->last);
    return steps;
  }

  /// Returns `used`, steps in which stage `s` has a work buffer, as steps of the task. Each
  /// iteration of an inner loop writes it, beside the values that stay.
  [[nodiscard]] lifetime buffer_in_task(std::size_t s, const lifetime& used) const {
    const lifetime steps = shifted(used, begins_[s]);
    const std::optional<lifetime> loop = inner_loop(s);
    if (!loop || steps.first > loop->last) return steps;
    return {loop->first, std::max(steps.last, loop->last)};
  }

  /// Adds the loop that the stages at steps go through. It holds all later stages and the outputs
  /// if these leave inside it.
  void add_loops() {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const task_demand& needs = layouts_[s].needs;
      if (!goes_in_steps(s) || needs.last_repeated_step == 0) continue;
      const std::size_t last = leaves_in_loop(needs) ? num_steps_ + num_emitted() - 1
                                                     : begins_[s] + needs.last_repeated_step;
      loops_.push_back({task_scope::step, {0, last}});
      needs_.last_repeated_step = std::max(needs_.last_repeated_step, last);
    }
  }

  /// Returns the positions of the operation that read elements of `box`, a box of `part`.
  [[nodiscard]] region domain_of(const stage& part, const region& box) const {
    region domain = region::whole(schedule_.domain);
    if (!box.empty()) return detail::hull_of(part, box, domain);
    domain.stop = domain.start;
    return domain;
  }

  void add_operands(std::size_t s) {
    const task_demand& needs = layouts_[s].needs;
    for (std::size_t i = 0; i < needs.operands.size(); ++i) {
      if (stages_[s].inputs[i].stage || !needs.operands[i].is_used) continue;
      operand_demand operand = needs.operands[i];
      // Operands that outlive the loop of their stage stay for its next iteration.
      const bool survives = goes_in_steps(s) && leaves_in_loop(needs) &&
                            operand.used.last >= needs.last_repeated_step;
      const lifetime used = in_task(s, operand.used);
      operand.used =
          value_lifetime(loops_, {&used, 1}, survives ? task_scope::task : task_scope::step);
      operand.read = shifted(operand.read, begins_[s]);
      // Boxes and axes of a frame lie along the operation's domain.
      if (stages_[s].frame) {
        if (operand.domain) operand.domain = domain_of(stages_[s], *operand.domain);
        operand.at_start = detail::axes_along(stages_[s], operand.at_start);
      }
      add_demand(needs_.operands[stages_[s].inputs[i].number], operand);
    }
  }

  /// Adds the work buffers of a stage, and the outputs that never leave the task.
  void add_buffers(std::size_t s) {
    const stage_layout& layout = layouts_[s];
    for (buffer_demand buffer : layout.needs.buffers) {
      const lifetime used =
          buffer_in_task(s, buffer.used.value_or(lifetime{0, count_steps(layout.needs) - 1}));
      buffer.used = value_lifetime(loops_, {&used, 1},
                                   goes_in_steps(s) ? task_scope::task : task_scope::step);
      needs_.buffers.push_back(std::move(buffer));
    }
    for (std::size_t i = 0; i < layout.slots.size(); ++i) {
      if (layout.slots[i].emitted) continue;
      needs_.buffers.push_back({"output of a stage",
                                detail::size_of_value(stages_[s], layout, i, schedule_),
                                value_lifetime(loops_, accesses_of(s, i), task_scope::step)});
    }
  }

  /// Returns the steps in which an output of a stage is computed and read.
  [[nodiscard]] std::vector<lifetime> accesses_of(std::size_t s, std::size_t i) const {
    const std::size_t first = layouts_[s].needs.outputs[i].live_steps.first;
    std::vector<lifetime> accesses{in_task(s, {first, first})};
    for (std::size_t reader = s + 1; reader < stages_.size(); ++reader) {
      const std::vector<operand_demand>& operands = layouts_[reader].needs.operands;
      for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const stage_input& input = stages_[reader].inputs[operand];
        if (input.stage != s || input.number != i || !operands[operand].is_used) continue;
        accesses.push_back(in_task(reader, operands[operand].used));
      }
    }
    return accesses;
  }

  /// Adds the outputs of an emitted stage. Stages that work in place begin them.
  void add_outputs(std::size_t s) {
    for (std::size_t i = 0; i < layouts_[s].slots.size(); ++i) {
      const std::size_t number = needs_.outputs.size();
      std::vector<lifetime> accesses{{num_steps_ + number, num_steps_ + number}};
      for (std::size_t maker = 0; maker <= s; ++maker) {
        for (std::size_t k = 0; k < layouts_[maker].slots.size(); ++k) {
          if (layouts_[maker].slots[k].emitted != number) continue;
          const std::vector<lifetime> added = accesses_of(maker, k);
          accesses.insert(accesses.end(), added.begin(), added.end());
        }
      }
      const task_scope scope = detail::completion(stages_[s], layouts_[s].needs, i);
      // Producers run between the steps that an output is computed in.
      const bool meets_producers = stages_.front().is_producer() && scope != task_scope::step;
      const std::span<const stage_loop> loops(loops_.data(), meets_producers ? loops_.size() : 0);
      needs_.outputs.push_back({value_lifetime(loops, accesses, task_scope::task), scope});
    }
  }

  const std::vector<stage>& stages_;
  const loop_schedule& schedule_;
  std::vector<stage_layout> layouts_;
  /// The first step of each stage, and the number of steps of all stages.
  std::vector<std::size_t> begins_;
  std::size_t num_steps_ = 0;
  std::vector<stage_loop> loops_;
  task_demand needs_;
};

}  // namespace

task_demand composition::demand(const loop_schedule& schedule, std::size_t num_operands) const {
  return demand_builder(stages_, schedule, num_operands).build();
}

}  // namespace tessera
