// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scans: the demand of a task, and its computation.
///
/// Problem: a scan carries a state for each line along its axis. Operands are read in steps,
/// outputs leave in sweeps, pieces and leaves have borders, and with `skipped` elements (moving
/// windows) outputs begin elsewhere than operands.
///
/// Idea: cut the box of a task along the axis at every border, in the order of the scan. Keep the
/// states of all lines in buffers:
///
///     read     |-------|-------|-------|      steps, at multiples of the step
///     leaf     |---------------|-------|      states restart
///     written   . |-------|-------|---        sweeps, shifted by `skipped`
///     parts    |--|----|--|----|--|----|      each part is one call of the kernel
///
/// Invariant: states restart at leaves, so the bits do not depend on steps, pieces or blocks.
/// Reference: Blelloch, "Prefix sums and their applications" (1990), as in `stages.cpp`.

#include "tessera/core/strided_copy.hpp"

#include "core/api/itemsize.hpp"
#include "core/api/wide_integer.hpp"
#include "kernel/api/scan_runner.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/scans/scans.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace tessera {

namespace {

using stage_kind = scan_sink::stage;

/// Returns the number of lines of a box.
index_t num_lines(index_vector extents, std::size_t axis) {
  extents[axis] = 1;
  return num_elements(extents);
}

/// Returns the strides of contiguous states, one for each line, along the axes of a box.
index_vector state_strides(index_vector extents, std::size_t axis) {
  extents[axis] = 1;
  index_vector strides = row_major_strides(extents);
  strides[axis] = 0;
  return strides;
}

index_vector strides_in_bytes(index_vector strides, dtype type) {
  for (index_t& stride : strides) stride *= itemsize_of(type);
  return strides;
}

index_vector strides_in_elements(index_vector strides, dtype type) {
  for (index_t& stride : strides) stride /= itemsize_of(type);
  return strides;
}

void reverse(block_result& result, std::size_t axis, index_t extent) {
  result.data += (extent - 1) * result.strides[axis];
  result.strides[axis] = -result.strides[axis];
}

/// Returns the least of `first + k * length`, k = 0, 1, ..., that is greater than `position`.
index_t next_mark(index_t position, index_t first, index_t length) {
  return position < first ? first : first + ((position - first) / length + 1) * length;
}

/// Returns the greatest multiple of `length` that is less than `position`.
index_t previous_mark(index_t position, index_t length) { return (position - 1) / length * length; }

/// Returns the nearest border of a piece behind `position`, or before it if the scan is reversed.
index_t nearest_border(index_t position, const std::vector<piece>& pieces, std::size_t axis,
                       bool is_reversed) {
  index_t nearest = is_reversed ? 0 : greatest_index;
  for (const piece& piece : pieces) {
    for (const index_t border : {piece.box.start[axis], piece.box.stop[axis]}) {
      if (is_reversed && border < position) nearest = std::max(nearest, border);
      if (!is_reversed && border > position) nearest = std::min(nearest, border);
    }
  }
  return nearest;
}

/// Calls `f` with the parts of `box` in the order of `scan`. No part crosses the border of a leaf,
/// of a piece, of a step of `length` that is read, or of a sweep that is written.
template <class F>
void for_each_box_of_scan(const region& box, const scan_sink& scan, index_t length,
                          const std::vector<piece>& pieces, F f) {
  const std::size_t axis = scan.axis;
  region part = box;
  if (scan.is_reversed) {
    while (part.stop[axis] > box.start[axis]) {
      const index_t position = part.stop[axis];
      part.start[axis] = std::max({box.start[axis], previous_mark(position, length),
                                   previous_mark(position, scan.leaf),
                                   nearest_border(position, pieces, axis, true)});
      f(part);
      part.stop[axis] = part.start[axis];
    }
    return;
  }
  while (part.start[axis] < box.stop[axis]) {
    const index_t position = part.start[axis];
    part.stop[axis] = std::min(
        {box.stop[axis], next_mark(position, 0, length), next_mark(position, 0, scan.leaf),
         next_mark(position, scan.skipped, length), nearest_border(position, pieces, axis, false)});
    f(part);
    part.start[axis] = part.stop[axis];
  }
}

/// Returns the box around `part` of those that cut `box` at `first` + multiples of `length`.
region box_around(const region& box, const region& part, std::size_t axis, index_t first,
                  index_t length) {
  region result = box;
  const index_t start = first + (part.start[axis] - first) / length * length;
  result.start[axis] = std::max(box.start[axis], start);
  result.stop[axis] = std::min(box.stop[axis], start + length);
  return result;
}

/// Returns `operand`, which covers `whole`, restricted to `part`, in the order of the scan.
block_operand offset_operand(const block_operand& operand, const region& whole, const region& part,
                             std::size_t axis, bool is_reversed) {
  block_operand result = operand;
  const index_t first = is_reversed ? part.stop[axis] - 1 : part.start[axis];
  const index_t offset = (first - whole.start[axis]) * operand.strides[axis];
  if (result.data != nullptr) result.data += offset;
  result.first += result.data != nullptr ? 0 : offset;
  if (is_reversed) result.strides[axis] = -result.strides[axis];
  return result;
}

/// Returns `box` in the coordinates of an output that begins `skipped` elements into `axis`.
region shift_box(region box, std::size_t axis, index_t skipped) {
  box.start[axis] -= skipped;
  box.stop[axis] -= skipped;
  return box;
}

/// The operands of a piece over the latest part of a box.
struct scan_input {
  const piece* whole = nullptr;
  region box;
  std::vector<block_operand> operands;
};

/// The scans over one box of a task: the states of its lines.
class scan_states : public block_computation {
 public:
  scan_states(task_blocks& blocks, const piece_list& pieces, const std::vector<scan_sink>& sinks,
              region box);

 protected:
  task_blocks& blocks_;
  const piece_list& pieces_;
  const scan_sink& first_;
  region box_;
  /// The states of all lines of the box, for each scan.
  std::vector<block_scan> scans_;
};

/// Scans lines, or leaves of lines.
class line_scan final : public scan_states {
 public:
  using scan_states::scan_states;

  void take(const region& sweep) override;
  void finish() override;

 private:
  [[nodiscard]] std::vector<scan_input> inputs_over(const region& box) const;
  /// Restarts the states if `part` begins a leaf.
  void restart_at(const region& part) const;
  /// Scans the elements of `part` that `input` covers.
  void take_box(const region& part, const scan_input& input) const;

  /// The last box that was read, and the operands over it: sweeps may begin inside it.
  std::optional<region> read_box_;
  std::vector<scan_input> inputs_;
};

/// Computes the exclusive prefixes of states.
class prefix_scan final : public scan_states {
 public:
  using scan_states::scan_states;

  void take(const region& sweep) override;
  void finish() override {}
};

scan_states::scan_states(task_blocks& blocks, const piece_list& pieces,
                         const std::vector<scan_sink>& sinks, region box)
    : blocks_(blocks), pieces_(pieces), first_(sinks.front()), box_(std::move(box)) {
  std::size_t buffer = 0;
  std::size_t result = 0;
  for (const scan_sink& scan : sinks) {
    const index_t distance = distance_of_values(*scan.kernel, num_lines(box_.shape(), scan.axis));
    block_scan state{.kernel = scan.kernel,
                     .parameters = scan.parameters.get(),
                     .value_stride = distance,
                     .result = result};
    for (std::size_t k = 0; k < scan.kernel->state_fields.size(); ++k) {
      state.state_fields.push_back(blocks.work_buffer(buffer++).data());
    }
    scan.kernel->start(state.state_fields.data(), distance, state.parameters);
    scans_.push_back(std::move(state));
    result += scan.input_types().size();
  }
}

// With skipped elements, written boxes are shifted against read boxes.
void line_scan::take(const region& sweep) {
  const std::size_t axis = first_.axis;
  const index_t length = blocks_.schedule().step[axis];
  for_each_box_of_scan(sweep, first_, length, pieces_.items(), [&](const region& part) {
    const region read_box = box_around(box_, part, axis, 0, length);
    if (!(read_box_ == read_box)) {
      blocks_.begin(task_scope::step, read_box);
      inputs_ = inputs_over(*(read_box_ = read_box));
    }
    restart_at(part);
    for (const scan_input& input : inputs_) take_box(part, input);
  });
}

std::vector<scan_input> line_scan::inputs_over(const region& box) const {
  std::vector<scan_input> inputs;
  for (const piece& whole : pieces_) {
    scan_input input{&whole, intersect(box, whole.box), {}};
    if (input.box.empty()) continue;
    for (const std::size_t operand : whole.operands) {
      input.operands.push_back(blocks_.operand(operand, input.box));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

void line_scan::restart_at(const region& part) const {
  const std::size_t axis = first_.axis;
  const index_t edge = first_.is_reversed ? part.stop[axis] : part.start[axis];
  const index_t first = first_.is_reversed ? box_.stop[axis] : box_.start[axis];
  if (edge == first || edge % first_.leaf != 0) return;
  for (const block_scan& scan : scans_) {
    if (scan.kernel->restart == nullptr) continue;
    scan.kernel->restart(scan.state_fields.data(), num_lines(box_.shape(), axis));
  }
}

void line_scan::take_box(const region& part, const scan_input& input) const {
  const std::size_t axis = first_.axis;
  const region overlap = intersect(part, input.box);
  if (overlap.empty()) return;
  // Windows lie in one grid in all blocks.
  const index_t line_start = first_.skipped > 0 ? 0 : box_.start[axis];
  const index_t count_before =
      first_.is_reversed ? box_.stop[axis] - part.stop[axis] : part.start[axis] - line_start;
  std::vector<block_operand> operands;
  for (const block_operand& operand : input.operands) {
    operands.push_back(offset_operand(operand, input.box, overlap, axis, first_.is_reversed));
  }
  const index_vector strides = state_strides(box_.shape(), axis);
  index_t lines_before = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    lines_before += (overlap.start[k] - box_.start[k]) * strides[k];
  }
  std::vector<block_scan> part_scans = scans_;
  for (std::size_t i = 0; i < part_scans.size(); ++i) {
    block_scan& scan = part_scans[i];
    for (std::size_t field = 0; field < scan.state_fields.size(); ++field) {
      scan.state_fields[field] += lines_before * itemsize_of(scan.kernel->state_fields[field]);
    }
    scan.is_seeded = first_.scan_stage == stage_kind::rescan && count_before == 0;
    if (first_.scan_stage == stage_kind::block_totals ||
        part.start[axis] < box_.start[axis] + first_.skipped) {
      continue;
    }
    scan.to = blocks_.result(i, shift_box(overlap, axis, first_.skipped));
    if (first_.is_reversed) reverse(scan.to, axis, overlap.stop[axis] - overlap.start[axis]);
  }
  run_scans(input.whole->program, operands, part_scans, overlap.shape(),
            {.axis = axis, .state_strides = strides, .num_taken = count_before}, blocks_.scratch());
}

void line_scan::finish() {
  if (first_.scan_stage != stage_kind::block_totals) return;
  index_vector extents = box_.shape();
  const index_vector strides = state_strides(extents, first_.axis);
  extents[first_.axis] = 1;
  std::size_t out = 0;
  for (const block_scan& scan : scans_) {
    for (std::size_t field = 0; field < scan.kernel->num_handed(); ++field, ++out) {
      const dtype type = scan.kernel->state_fields[field];
      const block_result target = blocks_.result(out, blocks_.output_box(out));
      detail::strided_copy(target.data, strides_in_elements(target.strides, type),
                           scan.state_fields[field], strides, extents, size_of(type));
    }
  }
}

// Exclusive prefix: the prefix is written to the position of a state, then the state is added.
void prefix_scan::take(const region& sweep) {
  const piece& whole = pieces_.front();
  const index_vector strides = state_strides(box_.shape(), first_.axis);
  const index_t lines = num_lines(box_.shape(), first_.axis);
  for_each_box_of_scan(sweep, first_, 1, pieces_.items(), [&](const region& part) {
    std::vector<block_operand> operands;
    for (const std::size_t operand : whole.operands) {
      operands.push_back(blocks_.operand(operand, part));
    }
    std::vector<strip_target> states;
    std::size_t out = 0;
    for (const block_scan& scan : scans_) {
      const std::size_t count = scan.kernel->num_handed();
      for (std::size_t field = 0; field < count; ++field, ++out) {
        const dtype type = scan.kernel->state_fields[field];
        const block_result target = blocks_.result(out, part);
        detail::strided_copy(target.data, strides_in_elements(target.strides, type),
                             scan.state_fields[count + field], strides, part.shape(),
                             size_of(type));
        states.push_back(
            {scan.result + field, {scan.state_fields[field], strides_in_bytes(strides, type)}});
      }
    }
    run_strips(whole.program, operands, states, {}, part.shape(), {}, blocks_.scratch());
    for (const block_scan& scan : scans_) scan.kernel->restart(scan.state_fields.data(), lines);
  });
}

}  // namespace

// The steps of the buffer schedule: the steps of `add_operand_steps`, then one for each output.
task_demand scans::demand(const loop_schedule& schedule, std::size_t num_operands) const {
  task_demand needs;
  needs.operands.resize(num_operands);
  const index_t num_step_elements = num_elements(schedule.step);
  std::size_t step = add_operand_steps(needs, pieces_, num_step_elements);
  for (const piece& part : pieces_) {
    needs.scratch = std::max(needs.scratch, scan_scratch_bytes(part.program, num_step_elements));
  }
  for (const scan_sink& scan : sinks_) {
    const index_t distance =
        distance_of_values(*scan.kernel, num_lines(schedule.sweep(), scan.axis));
    const auto values = static_cast<std::size_t>(checked_multiply(distance, scan.state_length()));
    for (const dtype type : scan.kernel->state_fields) {
      needs.buffers.push_back(
          {fmt::format("state of {}", scan.kernel->label), size_of(type) * values});
    }
    const task_scope leave_scope =
        scan.scan_stage == stage_kind::block_totals ? task_scope::task : task_scope::sweep;
    for (std::size_t i = 0; i < scan.output_types().size(); ++i) {
      needs.outputs.push_back({{0, step++}, leave_scope});
    }
  }
  needs.last_repeated_step = step - 1;
  // With skipped elements or several pieces, operands stay in memory from sweep to sweep.
  const scan_sink& first = sinks_.front();
  if (first.skipped == 0 && (pieces_.size() == 1 || first.scan_stage == stage_kind::rescan))
    return needs;
  for (operand_demand& operand : needs.operands) {
    if (operand.is_used) operand.used = {0, step - 1};
  }
  return needs;
}

std::unique_ptr<block_computation> scans::start(task_blocks& blocks, const region& box) const {
  if (sinks_.front().scan_stage == stage_kind::exclusive_prefix) {
    return std::make_unique<prefix_scan>(blocks, pieces_, sinks_, box);
  }
  return std::make_unique<line_scan>(blocks, pieces_, sinks_, box);
}

}  // namespace tessera
