// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a task of strips needs, and what it does.

#include "tessera/primitive/strips.hpp"

#include "primitive/strips/fold_states.hpp"
#include "primitive/strips/leaf_tree.hpp"
#include "primitive/strips/piece_states.hpp"

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

const fold_step& step_of(const strip_sink& sink) { return std::get<fold_sink>(sink).step; }

bool is_result(const strip_sink& sink) { return std::holds_alternative<result_sink>(sink); }

}  // namespace

// Operands are read piece by piece, those of several pieces from the first to the last of them, and
// results leave, step by step; folds are finished behind the last step of a leg.
task_demand strips::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs;
  needs.operands.resize(num_operands);
  const index_t num_step_elements = num_elements(how.stream);
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
  const index_t kept = num_kept(how.leg(), reduced_);
  for (const std::size_t i : folds_) {
    const auto& fold = std::get<fold_sink>(sinks_[i]);
    const fold_kernel& kernel = *fold.step.kernel;
    const auto count = static_cast<std::size_t>(checked_multiply(kept, product(fold.own)));
    const std::string of_groups =
        fold.is_labelled ? fmt::format(" of {} groups", product(fold.own)) : "";
    const std::size_t open = most_open_nodes(fold, how);
    for (const dtype type : kernel.planes) {
      needs.own.push_back(
          {fmt::format("state of {}{}", kernel.label, of_groups), size_of(type) * count * open});
    }
  }
  // Results of cells are put in order on their way out.
  for (const std::size_t i : folds_) {
    const auto& fold = std::get<fold_sink>(sinks_[i]);
    if (!has_cells() || makes_states(how)) continue;
    const auto count = static_cast<std::size_t>(
        checked_multiply(std::min(kept, finished_at_once), product(fold.own)));
    for (const dtype type : fold.step.kernel->outputs) {
      needs.own.push_back(
          {fmt::format("results of {}", fold.step.kernel->label), size_of(type) * count});
    }
  }
  std::size_t leaves = step;
  std::size_t finished = step + sinks_.size() - folds_.size();
  needs.last_of_stream = finished - 1;
  const std::size_t first_finished = finished;
  for (const strip_sink& sink : sinks_) {
    if (is_result(sink)) {
      needs.outputs.push_back(
          {{0, leaves++}, has_folds() ? walk_stretch::step : walk_stretch::leg});
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

void strips::run(task_blocks& blocks, const region& box) const {
  if (has_scans()) return run_scan(blocks, box);
  for_each_box(box, blocks.how().leg(), [&](const region& leg) {
    blocks.begin(walk_stretch::leg, leg);
    run_leg(blocks, leg);
    blocks.end(walk_stretch::leg);
  });
}

void strips::run_leg(task_blocks& blocks, const region& leg) const {
  std::vector<block_states> states = start(blocks, leg.shape());
  std::vector<leaf_tree> trees;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& fold = std::get<fold_sink>(sinks_[folds_[i]]);
    trees.emplace_back(fold, blocks.how(), states[i], num_states(leg.shape(), fold));
  }
  const index_vector strides =
      has_folds() ? state_layout(leg.shape(), first_fold()).strides : index_vector(leg.rank());
  const auto take = [&](const region& step, const region* next) {
    // Where states are combined, what is walked are blocks of the domain that they were made from.
    const index_t count = num_reduced(merged_ ? merged_->chunk_region(step.start) : step, reduced_);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      trees[i].enter(states[i], step, next, count);
      if (!is_left_to_runner(states[i])) trees[i].make(states[i]);
    }
    blocks.begin(walk_stretch::step, step);
    take_step(blocks, leg, step, states, {reduced_, strides, merged_ ? count : 0});
    blocks.end(walk_stretch::step);
    for (std::size_t i = 0; i < trees.size(); ++i) trees[i].merge(states[i], count);
  };
  std::optional<region> step;
  for_each_box(leg, blocks.how().stream, [&](const region& next) {
    if (step) take(*step, &next);
    step = next;
  });
  if (step) take(*step, nullptr);
  for (std::size_t i = 0; i < trees.size(); ++i) states[i] = trees[i].root();
  if (has_folds()) finish(blocks, leg, states);
}

// Pieces of a step, and groups, go into parts of the states, in no certain order.
bool strips::is_left_to_runner(const block_states& states) const {
  return pieces_.size() == 1 && states.num_groups == 0 && states.kernel->cells == nullptr;
}

std::vector<block_states> strips::start(task_blocks& blocks, const index_vector& box) const {
  std::vector<block_states> states;
  std::size_t plane = 0;
  std::size_t result = 0;
  for (const strip_sink& sink : sinks_) {
    if (!is_result(sink)) {
      const fold_step& step = step_of(sink);
      const state_layout layout(box, std::get<fold_sink>(sink));
      block_states state{.kernel = step.kernel,
                         .parameters = step.parameters.get(),
                         .result = result,
                         .cells = layout.cells,
                         .num_groups = layout.num_groups,
                         .group_stride = layout.group_stride};
      for (std::size_t k = 0; k < step.kernel->planes.size(); ++k) {
        state.planes.push_back(blocks.own(plane++).data());
      }
      states.push_back(std::move(state));
    }
    result += num_results(sink);
  }
  return states;
}

void strips::take_step(task_blocks& blocks, const region& leg, const region& step,
                       std::span<const block_states> states, const fold_walk& how) const {
  std::vector<block_operand> operands;
  std::vector<strip_target> targets;
  taken_in_pieces taken(reduced_);
  for (const piece& part : pieces_.near(step)) {
    const region common = intersect(step, part.where);
    if (common.empty()) continue;
    operands.clear();
    for (const std::size_t operand : part.operands) {
      operands.push_back(blocks.operand(operand, common));
    }
    targets.clear();
    std::size_t out = 0;
    std::size_t result = 0;
    for (const strip_sink& sink : sinks_) {
      if (is_result(sink)) targets.push_back({result, blocks.result(out, common)});
      out += num_outputs(sink, blocks.how());
      result += num_results(sink);
    }
    if (pieces_.size() == 1 || states.empty()) {
      run_strips(part.program, operands, targets, states, common.shape(), how, blocks.scratch());
      continue;
    }
    std::vector<block_states> moved = states_at(states, leg, common, how.state_strides);
    const index_t before = taken.take(common);
    for (block_states& state : moved) state.taken += before;
    run_strips(part.program, operands, targets, moved, common.shape(), how, blocks.scratch());
  }
}

void strips::finish(task_blocks& blocks, const region& box,
                    std::span<const block_states> states) const {
  const bool are_states = makes_states(blocks.how());
  std::size_t out = 0;
  std::size_t room = planes().size();
  auto state = states.begin();
  for (const strip_sink& sink : sinks_) {
    if (is_result(sink)) {
      ++out;
      continue;
    }
    const auto& fold = std::get<fold_sink>(sink);
    const made_extents made(box.shape(), fold, are_states);
    std::vector<block_result> results;
    for (std::size_t i = 0; i < num_outputs(sink, blocks.how()); ++i, ++out) {
      results.push_back(blocks.result(out, blocks.output_box(out)));
    }
    if (are_states) {
      hand_on_states(*state, results, made.extents, made.strides);
    } else if (has_cells()) {
      std::vector<std::byte*> rooms;
      for (std::size_t i = 0; i < results.size(); ++i) rooms.push_back(blocks.own(room++).data());
      finish_cells(*state, results, rooms, kept_of(box.shape(), reduced_), place_of(reduced_));
    } else {
      finish_states(*state, results, made);
    }
    ++state;
  }
}

}  // namespace tessera
