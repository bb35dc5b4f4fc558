// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a task of strips needs, and what it does.

#include "tessera/primitive/strips.hpp"

#include "primitive/strips/fold_states.hpp"
#include "primitive/strips/gathered_pieces.hpp"
#include "primitive/strips/leg_folds.hpp"
#include "primitive/strips/piece_states.hpp"
#include "primitive/strips/programs.hpp"
#include "primitive/strips/slabs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace tessera {

namespace {

index_t num_reduced(const region& box, axis_set reduced) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (reduced[axis]) count *= box.stop[axis] - box.start[axis];
  }
  return count;
}

/// Returns the extents along the axes that are not reduced.
index_vector kept_of(const index_vector& extents, axis_set reduced) {
  index_vector kept;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (!reduced[axis]) kept.push_back(extents[axis]);
  }
  return kept;
}

bool is_result(const strip_sink& sink) { return std::holds_alternative<result_sink>(sink); }

/// Returns which of a program's results go into folds, as elements.
std::vector<bool> folded_results(const std::vector<strip_sink>& sinks) {
  std::vector<bool> are_folded;
  for (const strip_sink& sink : sinks) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    are_folded.insert(are_folded.end(), fold == nullptr ? 1 : fold->num_inputs(), fold != nullptr);
  }
  return are_folded;
}

/// Returns how many buffers the results of cells go through on their way out.
std::size_t num_rooms(const std::vector<strip_sink>& sinks, const walk& how) {
  std::size_t count = 0;
  for (const strip_sink& sink : sinks) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    if (fold == nullptr || fold->step.kernel->cells == nullptr) continue;
    if (how.takes_all(fold->reduced)) count += fold->step.kernel->outputs.size();
  }
  return count;
}

}  // namespace

// Operands are read piece by piece, those of several pieces from the first to the last of them, and
// results leave, step by step; folds are finished behind the last step of a leg. Results are there
// from the first piece that is computed on.
task_demand strips::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs;
  needs.operands.resize(num_operands);
  const index_t num_step_elements = num_elements(how.stream);
  const std::size_t first_computed = pieces_.size() == 0 ? 0 : pieces_.front().operands.size();
  std::size_t step = 0;
  for (const piece& part : pieces_) {
    const std::size_t compute_step = step + part.operands.size();
    for (const std::size_t operand : part.operands) {
      operand_demand& needed = needs.operands[operand];
      if (!needed.is_used) needed = {.is_used = true, .used = {step, step}, .read = {step, step}};
      needed.where = needed.where ? hull(*needed.where, part.where) : part.where;
      needed.read.last = step++;
      needed.used.last = compute_step;
    }
    needs.scratch = std::max(needs.scratch, scratch_bytes(part.program, num_step_elements));
    ++step;
  }
  if (has_scans()) {
    add_scans(needs, how, step);
    return needs;
  }
  add_folds(needs, how);
  if (pieces_.size() > 1 && has_folds() && !merged_) {
    const region all = region::whole(how.domain);
    const gathered_pieces gathered(pieces_, how, all, folded_results(sinks_));
    for (own_buffer& each : gathered.buffers()) needs.own.push_back(std::move(each));
    needs.scratch = std::max(needs.scratch, scratch_bytes(gathered.program(), num_step_elements));
  }
  std::size_t leaves = step;
  std::size_t finished = step;
  for (const strip_sink& sink : sinks_) finished += is_result(sink) ? 1 : 0;
  needs.last_of_stream = finished - 1;
  const std::size_t first_finished = finished;
  for (const strip_sink& sink : sinks_) {
    if (is_result(sink)) {
      needs.outputs.push_back(
          {{first_computed, leaves++}, has_folds() ? walk_stretch::step : walk_stretch::leg});
      continue;
    }
    const std::size_t made = num_outputs(sink, how);
    for (std::size_t i = 0; i < made; ++i) {
      needs.outputs.push_back({{first_finished, finished++}, walk_stretch::leg});
    }
  }
  // The first step of a leg comes behind all that finished the one before.
  if (how.ordered.any()) needs.last_of_stream = finished - 1;
  return needs;
}

// What there is of a fold is for all that a leg keeps.
void strips::add_folds(task_demand& needs, const walk& how) const {
  for (const fold_group& group : groups_) {
    for (const std::size_t sink : group.sinks) {
      const fold_kernel& kernel = *fold(sink).step.kernel;
      const state_places places(how, how.leg(), fold(sink));
      const auto cells = static_cast<std::size_t>(state_layout(places.part, fold(sink)).cells);
      const std::string of_groups =
          fold(sink).is_labelled ? fmt::format(" of {} groups", product(fold(sink).own)) : "";
      for (const dtype type : kernel.planes) {
        needs.own.push_back({fmt::format("state of {}{}", kernel.label, of_groups),
                             size_of(type) * places.size() * cells});
      }
    }
  }
  // Results of cells are put in order on their way out.
  for (const fold_group& group : groups_) {
    for (const std::size_t sink : group.sinks) {
      const fold_kernel& kernel = *fold(sink).step.kernel;
      if (kernel.cells == nullptr || !how.takes_all(group.reduced)) continue;
      const index_t kept = std::min(num_kept(how.leg(), group.reduced), finished_at_once);
      const auto count = static_cast<std::size_t>(checked_multiply(kept, product(fold(sink).own)));
      for (const dtype type : kernel.outputs) {
        needs.own.push_back({fmt::format("results of {}", kernel.label), size_of(type) * count});
      }
    }
  }
}

void strips::run(task_blocks& blocks, const region& box) const {
  if (has_scans()) return run_scan(blocks, box);
  for_each_box(box, blocks.how().leg(), [&](const region& leg) {
    blocks.begin(walk_stretch::leg, leg);
    run_leg(blocks, leg);
    blocks.end(walk_stretch::leg);
  });
}

void strips::run_leg(task_blocks& blocks, const region& leg) const {
  std::vector<leg_folds> folds;
  std::vector<output> made_of;
  std::vector<std::size_t> first_outputs(sinks_.size(), 0);
  if (makes_states(blocks.how())) {
    made_of = outputs(blocks.how());
    for (std::size_t sink = 1; sink < sinks_.size(); ++sink) {
      first_outputs[sink] = first_outputs[sink - 1] + num_outputs(sinks_[sink - 1], blocks.how());
    }
  }
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const std::size_t first_own = folds.empty() ? 0 : folds.back().next_own();
    std::vector<fold_member> members = members_of(number);
    for (fold_member& each : members) each.output = first_outputs[each.sink];
    folds.emplace_back(blocks, leg, std::move(members), made_of, first_own, part_for(number));
  }
  // Of many pieces a leg may meet but one or two.
  if (folds.size() == 1 && !merged_ && pieces_.near(leg).size() > 1) {
    gathered_pieces gathered(pieces_, blocks.how(), leg, folded_results(sinks_));
    const std::size_t first = folds.front().next_own() + num_rooms(sinks_, blocks.how());
    if (gathered.has_any()) folds.front().gather(std::move(gathered), first);
  }
  for_each_box(leg, blocks.how().stream, [&](const region& step) {
    for (leg_folds& each : folds)
      each.begin(step, num_taken(step, each.reduced()), pieces_.size() == 1);
    blocks.begin(walk_stretch::step, step);
    take_step(blocks, step, folds);
    blocks.end(walk_stretch::step);
    for (leg_folds& each : folds) each.end();
  });
  std::size_t room = folds.empty() ? 0 : folds.back().next_own();
  for (const leg_folds& each : folds) room = finish(blocks, each, room);
}

// Where states are combined, what is walked are blocks of the domain that they were made from.
index_t strips::num_taken(const region& step, axis_set reduced) const {
  return num_reduced(merged_ ? merged_->chunk_region(step.start) : step, reduced);
}

/// Tells whether what a sink takes is made for that group, if each is run by itself: elements that
/// are kept are made for the first.
bool strips::is_made_for(std::size_t group, std::size_t sink) const {
  if (groups_.size() < 2) return true;
  if (is_result(sinks_[sink])) return group == 0;
  const std::vector<std::size_t>& sinks = groups_[group].sinks;
  return std::find(sinks.begin(), sinks.end(), sink) != sinks.end();
}

std::vector<fold_member> strips::members_of(std::size_t group) const {
  std::vector<fold_member> members;
  std::size_t result = 0;
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    if (!is_made_for(group, sink)) continue;
    if (!is_result(sinks_[sink])) members.push_back({sink, &fold(sink), result});
    result += num_results(sinks_[sink]);
  }
  return members;
}

/// Returns the program of that group alone; nothing where there is no other.
std::optional<program_part> strips::part_for(std::size_t group) const {
  if (groups_.size() < 2) return std::nullopt;
  std::vector<bool> wanted;
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    wanted.insert(wanted.end(), num_results(sinks_[sink]), is_made_for(group, sink));
  }
  return part_of(pieces_.front().program, wanted);
}

std::vector<strip_target> strips::targets_in(task_blocks& blocks, const region& box) const {
  std::vector<strip_target> targets;
  std::size_t out = 0;
  std::size_t result = 0;
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    if (is_result(sinks_[sink])) targets.push_back({result, blocks.result(out, box)});
    out += num_outputs(sinks_[sink], blocks.how());
    if (is_made_for(0, sink)) result += num_results(sinks_[sink]);
  }
  return targets;
}

void strips::take_step(task_blocks& blocks, const region& step,
                       std::span<const leg_folds> folds) const {
  if (folds.size() < 2) return take_pieces(blocks, step, folds.empty() ? nullptr : &folds.front());
  std::vector<block_operand> all;
  for (const std::size_t operand : pieces_.front().operands) {
    all.push_back(blocks.operand(operand, step));
  }
  const std::vector<strip_target> targets = targets_in(blocks, step);
  std::vector<index_vector> strides;
  for (const leg_folds& each : folds) strides.push_back(each.strides(step));
  std::vector<fold_walk> walks;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    walks.push_back({folds[i].reduced(), strides[i], 0, folds[i].nominal()});
  }
  index_vector extents = step.shape();
  const slabs cut(extents, walks, all);
  for (index_t start = 0; start < cut.extent; start += cut.length) {
    const index_t stop = std::min(start + cut.length, cut.extent);
    extents[cut.axis] = stop - start;
    const std::vector<block_operand> here = from(all, cut.axis, start);
    std::vector<strip_target> made = from(targets, cut.axis, start);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      const leg_folds& each = folds[i];
      const program_part& part = *each.part();
      std::vector<block_operand> operands;
      for (const std::size_t operand : part.operands) operands.push_back(here[operand]);
      const index_t taken = num_reduced(step, each.reduced()) / cut.extent;
      const std::vector<block_states> states =
          states_in(each.states(), start, stop, cut.extent, strides[i][cut.axis], taken);
      run_strips(part.program, operands, made, states, extents, walks[i], blocks.scratch());
      made.clear();
    }
  }
}

void strips::take_pieces(task_blocks& blocks, const region& step, const leg_folds* folds) const {
  const index_vector strides = folds == nullptr ? index_vector(step.rank()) : folds->strides(step);
  fold_walk how{reduced_, strides, merged_ ? num_taken(step, reduced_) : 0};
  std::span<const block_states> states;
  if (folds != nullptr) {
    states = folds->states();
    how.nominal = folds->nominal();
  }
  const gathered_pieces* const gathered = folds == nullptr ? nullptr : folds->gathered(step);
  std::vector<block_operand> whole;
  if (gathered != nullptr) whole = gathered->rooms(blocks, step, folds->first_gathered());
  std::vector<block_operand> operands;
  taken_in_pieces taken(reduced_);
  for (const piece& part : pieces_.near(step)) {
    const region common = intersect(step, part.where);
    if (common.empty()) continue;
    operands.clear();
    for (const std::size_t operand : part.operands) {
      operands.push_back(blocks.operand(operand, common));
    }
    std::vector<strip_target> targets = targets_in(blocks, common);
    if (gathered != nullptr) {
      gathered->add_targets(targets, whole, step, common);
      run_strips(part.program, operands, targets, {}, common.shape(), {}, blocks.scratch());
      continue;
    }
    if (pieces_.size() == 1 || folds == nullptr) {
      run_strips(part.program, operands, targets, states, common.shape(), how, blocks.scratch());
      continue;
    }
    std::vector<block_states> moved = states_at(states, step, common, how.state_strides);
    const index_t before = taken.take(common);
    for (block_states& state : moved) state.taken += before;
    run_strips(part.program, operands, targets, moved, common.shape(), how, blocks.scratch());
  }
  if (gathered != nullptr) {
    gathered->add_handed_on(whole, blocks, step);
    run_strips(gathered->program(), whole, {}, states, step.shape(), how, blocks.scratch());
  }
}

std::size_t strips::finish(task_blocks& blocks, const leg_folds& folds, std::size_t room) const {
  const std::vector<output> made_of = outputs(blocks.how());
  const bool are_states = !blocks.how().takes_all(folds.reduced());
  std::size_t out = 0;
  std::size_t member = 0;
  for (std::size_t sink = 0; sink < sinks_.size() && member < folds.members().size(); ++sink) {
    const std::size_t first = out;
    out += num_outputs(sinks_[sink], blocks.how());
    if (folds.members()[member].sink != sink) continue;
    const bool has_cells = fold(sink).step.kernel->cells != nullptr && !are_states;
    std::vector<std::byte*> rooms;
    for (std::size_t i = first; i < out && has_cells; ++i)
      rooms.push_back(blocks.own(room++).data());
    folds.for_each_part(member++, [&](const region& box, const block_states& states) {
      const made_extents made(box.shape(), fold(sink), are_states);
      std::vector<block_result> results;
      for (std::size_t i = first; i < out; ++i) {
        results.push_back(blocks.result(i, made_of[i].box(blocks.how(), box)));
      }
      if (are_states) {
        hand_on_states(states, results, made.extents, made.strides);
      } else if (has_cells) {
        finish_cells(states, results, rooms, kept_of(box.shape(), folds.reduced()),
                     place_of(folds.reduced()));
      } else {
        finish_states(states, results, made);
      }
    });
  }
  return room;
}

}  // namespace tessera
