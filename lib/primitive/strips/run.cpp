// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a task of strips needs, and what it does.

#include "tessera/core/strided_copy.hpp"
#include "tessera/primitive/strips.hpp"

#include "primitive/strips/piece_states.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera {

namespace {

index_t itemsize_of(dtype type) { return static_cast<index_t>(size_of(type)); }

index_vector scaled(index_vector strides, index_t factor) {
  for (index_t& stride : strides) stride *= factor;
  return strides;
}

index_t num_kept(const index_vector& extents, axis_set reduced) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (!reduced[axis]) count = checked_multiply(count, extents[axis]);
  }
  return count;
}

index_t num_reduced(const region& box, axis_set reduced) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (reduced[axis]) count *= box.stop[axis] - box.start[axis];
  }
  return count;
}

/// Returns the first axis that is reduced, before which as many are kept.
std::size_t place_of(axis_set reduced) {
  std::size_t place = 0;
  while (!reduced[place]) ++place;
  return place;
}

index_t product(const index_vector& lengths) {
  index_t count = 1;
  for (const index_t length : lengths) count = checked_multiply(count, length);
  return count;
}

/// How the states of a walk's folds lie over a box: dense, in the order of the axes that are kept.
/// Groups have axes in the place of the first that is reduced; cells lie behind each other.
struct state_layout {
  /// Along the axes of the domain, 0 along reduced ones; in states.
  index_vector strides;
  index_t group_stride = 0;
  index_t num_groups = 0;
  /// The values of a plane that a state is.
  index_t cells = 1;

  state_layout(const index_vector& extents, const fold_sink& fold) : strides(extents.size()) {
    if (fold.is_labelled) {
      num_groups = product(fold.own);
    } else {
      cells = product(fold.own);
    }
    const std::size_t place = place_of(fold.reduced);
    index_t stride = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      if (!fold.reduced[axis]) {
        strides[axis] = stride;
        stride *= extents[axis];
      } else if (axis == place && fold.is_labelled) {
        group_stride = stride;
        stride *= num_groups;
      }
    }
  }
};

/// The extents of what a fold makes of a box, and the steps in which its states lie along them, in
/// values of a plane.
struct made_extents {
  index_vector extents;
  index_vector strides;

  /// `with_blocks`: as states, which have an axis of one element for each that is reduced.
  made_extents(const index_vector& box, const fold_sink& fold, bool with_blocks) {
    const state_layout layout(box, fold);
    bool are_own_there = false;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      if (!fold.reduced[axis]) {
        add(box[axis], layout.strides[axis] * layout.cells);
        continue;
      }
      if (!std::exchange(are_own_there, true)) {
        const index_vector inner = row_major_strides(fold.own);
        for (std::size_t i = 0; i < fold.own.size(); ++i) {
          add(fold.own[i], inner[i] * (fold.is_labelled ? layout.group_stride : 1));
        }
      }
      if (with_blocks) add(1, 0);
    }
  }

 private:
  void add(index_t extent, index_t stride) {
    extents.push_back(extent);
    strides.push_back(stride);
  }
};

/// Copies the planes of states over `extents`, where they lie in steps of `strides`, to `results`.
void hand_on_states(const block_states& states, std::span<const block_result> results,
                    const index_vector& extents, const index_vector& strides) {
  for (std::size_t plane = 0; plane < results.size(); ++plane) {
    const std::size_t itemsize = size_of(states.kernel->planes[plane]);
    index_vector to = results[plane].strides;
    for (index_t& stride : to) stride /= static_cast<index_t>(itemsize);
    detail::strided_copy(results[plane].data, to, states.planes[plane], strides, extents, itemsize);
  }
}

/// Returns the extents along the axes that are not reduced.
index_vector kept_of(const index_vector& extents, axis_set reduced) {
  index_vector kept;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (!reduced[axis]) kept.push_back(extents[axis]);
  }
  return kept;
}

/// How many states with cells are finished at once.
constexpr index_t finished_at_once = 256;

/// Writes the results of states over `made`, which lie dense.
void finish_states(const block_states& states, std::span<const block_result> results,
                   const made_extents& made, index_t taken) {
  const fold_kernel& kernel = *states.kernel;
  const index_vector dense = row_major_strides(made.extents);
  // Outputs are contiguous along their last axis, and so are planes: row by row it is.
  bool is_dense = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    is_dense = is_dense && results[i].strides == scaled(dense, itemsize_of(kernel.outputs[i]));
  }
  const index_t count = num_elements(made.extents);
  const index_t row = is_dense || made.extents.empty() ? count : made.extents.back();
  std::vector<const std::byte*> planes(kernel.planes.size());
  std::vector<std::byte*> outputs(results.size());
  index_vector position(made.extents.size());
  for (index_t first = 0; first < count; first += row) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      planes[plane] = states.planes[plane] + first * itemsize_of(kernel.planes[plane]);
    }
    index_t rest = first;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      position[axis] = rest / dense[axis];
      rest %= dense[axis];
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = results[i].data + offset_of(position, results[i].strides);
    }
    kernel.finish(planes.data(), outputs.data(), row, taken, states.parameters);
  }
}

/// As `finish_states` of states with cells, which lie behind each other, by way of `room`, one for
/// each output.
void finish_cells(const block_states& states, std::span<const block_result> results,
                  std::span<std::byte* const> room, const index_vector& kept, std::size_t place,
                  index_t taken) {
  const fold_kernel& kernel = *states.kernel;
  const index_vector dense = row_major_strides(kept);
  const index_t row = kept.empty() ? 1 : kept.back();
  std::vector<const std::byte*> planes(kernel.planes.size());
  for (index_t first = 0; first < num_elements(kept);) {
    const index_t size = std::min(finished_at_once, row - first % row);
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      planes[plane] =
          states.planes[plane] + first * states.cells * itemsize_of(kernel.planes[plane]);
    }
    kernel.finish(planes.data(), room.data(), size, taken, states.parameters);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const index_vector& strides = results[i].strides;
      std::byte* to = results[i].data;
      index_t rest = first;
      for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        to += rest / dense[axis] * strides[axis < place ? axis : axis + 1];
        rest %= dense[axis];
      }
      const index_t itemsize = itemsize_of(kernel.outputs[i]);
      const std::size_t last = kept.size() - (place < kept.size() ? 0 : 1);
      const index_t along = kept.empty() ? 0 : strides[last] / itemsize;
      const index_vector steps{along, strides[place] / itemsize};
      detail::strided_copy(to, steps, room[i], index_vector{states.cells, 1},
                           index_vector{size, states.cells}, static_cast<std::size_t>(itemsize));
    }
    first += size;
  }
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
    for (const dtype type : kernel.planes) {
      needs.own.push_back(
          {fmt::format("state of {}{}", kernel.label, of_groups), size_of(type) * count});
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
  const std::vector<block_states> states = start(blocks, leg.shape());
  const index_vector strides =
      has_folds() ? state_layout(leg.shape(), first_fold()).strides : index_vector(leg.rank());
  index_t taken = 0;
  for_each_box(leg, blocks.how().stream, [&](const region& step) {
    // Where states are combined, what is walked are blocks of the domain that they were made from.
    const index_t count = num_reduced(merged_ ? merged_->chunk_region(step.start) : step, reduced_);
    blocks.begin(walk_stretch::step, step);
    take_step(blocks, leg, step, states, {reduced_, strides, taken, merged_ ? count : 0});
    blocks.end(walk_stretch::step);
    taken += count;
  });
  if (has_folds()) finish(blocks, leg, states, taken);
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
      step.kernel->start(state.planes.data(),
                         num_kept(box, reduced_) * std::max<index_t>(1, layout.num_groups),
                         state.parameters);
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
    fold_walk of_piece = how;
    of_piece.taken += taken.take(common);
    run_strips(part.program, operands, targets, states_at(states, leg, common, how.state_strides),
               common.shape(), of_piece, blocks.scratch());
  }
}

void strips::finish(task_blocks& blocks, const region& box, std::span<const block_states> states,
                    index_t taken) const {
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
      finish_cells(*state, results, rooms, kept_of(box.shape(), reduced_), place_of(reduced_),
                   taken);
    } else {
      finish_states(*state, results, made, taken);
    }
    ++state;
  }
}

}  // namespace tessera
