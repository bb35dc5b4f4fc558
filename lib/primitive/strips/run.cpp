// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a task of strips needs, and what it does.

#include "tessera/core/strided_copy.hpp"
#include "tessera/primitive/strips.hpp"

#include <algorithm>
#include <fmt/format.h>

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

/// Returns the steps of a dense state along the axes of the domain, 0 along reduced ones.
index_vector strides_of_states(const region& box, axis_set reduced) {
  index_vector strides(box.rank());
  index_t stride = 1;
  for (std::size_t axis = box.rank(); axis-- > 0;) {
    if (reduced[axis]) continue;
    strides[axis] = stride;
    stride *= box.stop[axis] - box.start[axis];
  }
  return strides;
}

/// Writes the results of states that lie dense over `extents`.
void finish_state(const block_states& state, const block_result& result,
                  const index_vector& extents, index_t taken) {
  const fold_kernel& kernel = *state.kernel;
  const index_vector dense = row_major_strides(extents);
  // Outputs are contiguous along their last axis, and so are planes: row by row it is.
  const bool is_dense = result.strides == scaled(dense, itemsize_of(kernel.output));
  const index_t count = num_elements(extents);
  const index_t row = is_dense || extents.empty() ? count : extents.back();
  index_vector position(extents.size());
  for (index_t first = 0; first < count; first += row) {
    std::vector<const std::byte*> planes;
    for (std::size_t plane = 0; plane < kernel.planes.size(); ++plane) {
      planes.push_back(state.planes[plane] + first * itemsize_of(kernel.planes[plane]));
    }
    index_t rest = first;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      position[axis] = rest / dense[axis];
      rest %= dense[axis];
    }
    kernel.finish(planes.data(), result.data + offset_of(position, result.strides), row, taken,
                  state.parameters);
  }
}

/// Copies the planes of a state that lies dense over `extents` to outputs from `out` on; returns
/// the one behind them.
std::size_t hand_on_state(task_blocks& blocks, const block_states& state,
                          const index_vector& extents, std::size_t out) {
  const index_vector dense = row_major_strides(extents);
  for (std::size_t plane = 0; plane < state.planes.size(); ++plane, ++out) {
    const std::size_t itemsize = size_of(state.kernel->planes[plane]);
    const block_result to = blocks.result(out, blocks.output_box(out));
    index_vector strides = to.strides;
    for (index_t& stride : strides) stride /= static_cast<index_t>(itemsize);
    detail::strided_copy(to.data, strides, state.planes[plane], dense, extents, itemsize);
  }
  return out;
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
      if (!needed.is_used) needed = {true, {step, step}, {step, step}};
      needed.read.last = step++;
      needed.used.last = compute_step;
    }
    needs.scratch = std::max(needs.scratch, scratch_bytes(part.program, num_step_elements));
    ++step;
  }
  const index_t kept = num_kept(how.leg(), reduced_);
  for (const std::size_t i : folds_) {
    const fold_kernel& kernel = *step_of(sinks_[i]).kernel;
    for (const dtype type : kernel.planes) {
      needs.own.push_back({fmt::format("state of {}", kernel.label),
                           size_of(type) * static_cast<std::size_t>(kept)});
    }
  }
  std::size_t leaves = step;
  std::size_t finished = step + sinks_.size() - folds_.size();
  needs.last_of_stream = finished - 1;
  const std::size_t first_finished = finished;
  for (const strip_sink& sink : sinks_) {
    if (is_result(sink)) {
      needs.outputs.push_back({{0, leaves++}, has_folds() ? output_part::step : output_part::leg});
      continue;
    }
    const std::size_t made = makes_states(how) ? step_of(sink).kernel->planes.size() : 1;
    for (std::size_t i = 0; i < made; ++i) {
      needs.outputs.push_back({{first_finished, finished++}, output_part::leg});
    }
  }
  // The first step of a leg comes behind all that finished the one before.
  if (how.ordered.any()) needs.last_of_stream = finished - 1;
  return needs;
}

void strips::run(task_blocks& blocks, const region& box) const {
  for_each_part(box, blocks.how().leg(), [&](const region& leg) {
    blocks.begin(output_part::leg, leg);
    run_leg(blocks, leg);
    blocks.end(output_part::leg);
  });
}

void strips::run_leg(task_blocks& blocks, const region& leg) const {
  const std::vector<block_states> states = start(blocks, num_kept(leg.shape(), reduced_));
  const index_vector strides = strides_of_states(leg, reduced_);
  index_t taken = 0;
  for_each_part(leg, blocks.how().stream, [&](const region& step) {
    // Where states are combined, what is walked are blocks of the domain that they were made from.
    const index_t count = num_reduced(parts_ ? parts_->chunk_region(step.start) : step, reduced_);
    blocks.begin(output_part::step, step);
    take_step(blocks, step, states, {reduced_, strides, taken, parts_ ? count : 0});
    blocks.end(output_part::step);
    taken += count;
  });
  if (has_folds()) finish(blocks, leg, states, taken);
}

std::vector<block_states> strips::start(task_blocks& blocks, index_t kept) const {
  std::vector<block_states> states;
  std::size_t plane = 0;
  for (const std::size_t i : folds_) {
    const fold_step& step = step_of(sinks_[i]);
    block_states state{step.kernel, step.parameters.get(), {}, parts_ ? plane : i};
    for (std::size_t k = 0; k < step.kernel->planes.size(); ++k) {
      state.planes.push_back(blocks.own(plane++).data());
    }
    step.kernel->start(state.planes.data(), kept);
    states.push_back(std::move(state));
  }
  return states;
}

void strips::take_step(task_blocks& blocks, const region& step,
                       std::span<const block_states> states, const fold_walk& how) const {
  std::vector<block_operand> operands;
  std::vector<strip_target> targets;
  for (const piece& part : pieces_) {
    const region common = intersect(step, part.where);
    if (common.empty()) continue;
    operands.clear();
    for (const std::size_t operand : part.operands) {
      operands.push_back(blocks.operand(operand, common));
    }
    targets.clear();
    std::size_t out = 0;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      if (is_result(sinks_[i])) {
        targets.push_back({i, blocks.result(out++, common)});
      } else {
        out += makes_states(blocks.how()) ? step_of(sinks_[i]).kernel->planes.size() : 1;
      }
    }
    run_strips(part.program, operands, targets, states, common.shape(), how, blocks.scratch());
  }
}

void strips::finish(task_blocks& blocks, const region& box, std::span<const block_states> states,
                    index_t taken) const {
  const bool are_states = makes_states(blocks.how());
  index_vector extents;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (!reduced_[axis]) {
      extents.push_back(box.stop[axis] - box.start[axis]);
    } else if (are_states) {
      extents.push_back(1);
    }
  }
  std::size_t out = 0;
  auto state = states.begin();
  for (const strip_sink& sink : sinks_) {
    if (is_result(sink)) {
      ++out;
    } else if (are_states) {
      out = hand_on_state(blocks, *state++, extents, out);
    } else {
      finish_state(*state++, blocks.result(out, blocks.output_box(out)), extents, taken);
      ++out;
    }
  }
}

}  // namespace tessera
