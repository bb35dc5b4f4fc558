// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips that scan: validation, demand and run.
///
/// Problem: a scan carries a state for each line along its axis. Operands are read in steps,
/// outputs leave in sweeps, pieces and leaves have borders, and with `skipped` elements (moving
/// windows) outputs begin elsewhere than operands.
///
/// Idea: cut the box of a task along the axis at every border, in the order of the scan, and keep
/// the states of all lines in buffers:
///
///     read     |-------|-------|-------|      steps, at multiples of the step
///     leaf     |---------------|-------|      states restart
///     written   . |-------|-------|---        sweeps, shifted by `skipped`
///     parts    |--|----|--|----|--|----|      each part is one call of the kernel
///
/// Invariant: states restart at leaves, so the bits do not depend on steps, pieces or blocks.
/// Reference: Blelloch, "Prefix sums and their applications" (1990), as in `scan_stages.cpp`.

#include "tessera/core/strided_copy.hpp"
#include "tessera/core/wide_integer.hpp"
#include "tessera/kernel/scan_runner.hpp"
#include "tessera/primitive/strips.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tessera {

namespace {

using stage = scan_sink::stage;

const scan_sink& as_scan(const strip_sink& sink) { return std::get<scan_sink>(sink); }

index_t itemsize_of(dtype type) { return static_cast<index_t>(size_of(type)); }

index_t cells_of(const scan_sink& scan) {
  return scan.kernel->cells == nullptr ? 1 : scan.kernel->cells(scan.parameters.get());
}

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
    for (const index_t border : {piece.where.start[axis], piece.where.stop[axis]}) {
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

}  // namespace

void strips::check_scans(const operation_rules& rules) const {
  const walk& schedule = rules.how();
  rules.require(
      std::ranges::all_of(
          sinks_, [](const strip_sink& sink) { return std::holds_alternative<scan_sink>(sink); }),
      "scans do not share an operation with folds or results");
  const scan_sink& first = as_scan(sinks_.front());
  const std::size_t axis = first.axis;
  rules.require(axis < schedule.rank(), "an axis of the domain is scanned");
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    rules.require(scan.goes_like(first),
                  "the scans of an operation have one axis, leaf and direction");
    const bool is_cut = scan.made != stage::whole;
    rules.require(!is_cut || scan.kernel->restart != nullptr, "the scan can be cut");
    rules.require(scan.skipped == 0 || (!is_cut && !scan.is_reversed),
                  "elements are skipped by whole scans from the first element on");
    rules.require(cells_of(scan) >= 1, "a state has cells");
  }
  const bool has_leaves = first.made == stage::totals || first.made == stage::seeded;
  if (has_leaves) {
    rules.require(schedule.block[axis] == first.leaf || schedule.takes_all(axis_set().set(axis)),
                  "a task scans one leaf");
  } else {
    rules.check_takes_all(axis_set().set(axis));
  }
  rules.require(schedule.ordered[axis] || schedule.stream[axis] == schedule.block[axis],
                "a scanned axis is ordered, or one step");
  rules.require(pieces_.size() == 1 || first.made != stage::seeds, "states are one piece");
  for (const piece& part : pieces_) {
    bool is_part = part.where.empty();
    if (!is_part) {
      region leaf = region::whole(schedule.domain);
      leaf.start[axis] = part.where.start[axis];
      leaf.stop[axis] =
          std::min(leaf.start[axis] / first.leaf * first.leaf + first.leaf, schedule.domain[axis]);
      is_part = part.where == leaf && leaf.start[axis] % first.leaf == 0;
    }
    rules.require(first.made != stage::seeded || is_part, "a piece is one leaf");
  }
}

void strips::add_scans(task_demand& needs, const walk& schedule, std::size_t step) const {
  std::size_t scratch = 0;
  for (const piece& part : pieces_) {
    scratch = std::max(scratch, scan_scratch_bytes(part.program, num_elements(schedule.stream)));
  }
  needs.scratch = std::max(needs.scratch, scratch);
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    const index_t distance = distance_of_cells(*scan.kernel, num_lines(schedule.leg(), scan.axis));
    const auto values = static_cast<std::size_t>(checked_multiply(distance, cells_of(scan)));
    for (const dtype type : scan.kernel->planes) {
      needs.own.push_back({fmt::format("state of {}", scan.kernel->label), size_of(type) * values});
    }
    const walk_stretch leave_scope =
        scan.made == stage::totals ? walk_stretch::task : walk_stretch::leg;
    for (std::size_t i = 0; i < scan.gives().size(); ++i) {
      needs.outputs.push_back({{0, step++}, leave_scope});
    }
  }
  needs.last_of_stream = step - 1;
  // With skipped elements or several pieces, operands stay in memory from sweep to sweep.
  const scan_sink& first = as_scan(sinks_.front());
  if (first.skipped == 0 && (pieces_.size() == 1 || first.made == stage::seeded)) return;
  for (operand_demand& operand : needs.operands) {
    if (operand.is_used) operand.used = {0, step - 1};
  }
}

std::vector<block_scan> strips::start_scans(task_blocks& blocks,
                                            const index_vector& extents) const {
  std::vector<block_scan> scans;
  std::size_t buffer = 0;
  std::size_t result = 0;
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    const index_t distance = distance_of_cells(*scan.kernel, num_lines(extents, scan.axis));
    block_scan state{.kernel = scan.kernel,
                     .parameters = scan.parameters.get(),
                     .cell_stride = distance,
                     .result = result};
    for (std::size_t k = 0; k < scan.kernel->planes.size(); ++k) {
      state.planes.push_back(blocks.own(buffer++).data());
    }
    scan.kernel->start(state.planes.data(), distance, state.parameters);
    scans.push_back(std::move(state));
    result += scan.takes().size();
  }
  return scans;
}

// With skipped elements, written boxes are shifted against read boxes.
void strips::run_scan(task_blocks& blocks, const region& box) const {
  const scan_sink& scan = as_scan(sinks_.front());
  const std::size_t axis = scan.axis;
  const index_t length = blocks.how().stream[axis];
  const std::vector<block_scan> scans = start_scans(blocks, box.shape());
  if (scan.made == stage::seeds) {
    blocks.begin(walk_stretch::leg, box);
    hand_on_seeds(blocks, box, scans);
    blocks.end(walk_stretch::leg);
    return;
  }
  std::vector<scan_input> inputs;
  std::optional<region> current_read;
  std::optional<region> current_written;
  for_each_box_of_scan(box, scan, length, pieces_.all(), [&](const region& part) {
    const region read_box = box_around(box, part, axis, 0, length);
    if (!(current_read == read_box)) {
      blocks.begin(walk_stretch::step, read_box);
      inputs = inputs_over(blocks, *(current_read = read_box));
    }
    if (part.start[axis] >= scan.skipped) {
      const region written_box = box_around(box, part, axis, scan.skipped, length);
      if (!current_written) blocks.begin(walk_stretch::leg, *(current_written = written_box));
    }
    restart_at(box, part, scans);
    for (const scan_input& input : inputs) take_box(blocks, box, part, input, scans);
    // Write before the next read: the encoder's buffer may share memory with the next operand.
    const bool is_done =
        current_written && (scan.is_reversed ? part.start[axis] == current_written->start[axis]
                                             : part.stop[axis] == current_written->stop[axis]);
    if (is_done) {
      blocks.end(walk_stretch::leg);
      current_written.reset();
    }
  });
  if (scan.made == stage::totals) hand_on_totals(blocks, box, scans);
}

std::vector<scan_input> strips::inputs_over(task_blocks& blocks, const region& box) const {
  std::vector<scan_input> inputs;
  for (const piece& whole : pieces_) {
    scan_input input{&whole, intersect(box, whole.where), {}};
    if (input.box.empty()) continue;
    for (const std::size_t operand : whole.operands) {
      input.operands.push_back(blocks.operand(operand, input.box));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

void strips::restart_at(const region& box, const region& part,
                        std::span<const block_scan> scans) const {
  const scan_sink& sink = as_scan(sinks_.front());
  const index_t edge = sink.is_reversed ? part.stop[sink.axis] : part.start[sink.axis];
  const index_t first = sink.is_reversed ? box.stop[sink.axis] : box.start[sink.axis];
  if (edge == first || edge % sink.leaf != 0) return;
  for (const block_scan& scan : scans) {
    if (scan.kernel->restart == nullptr) continue;
    scan.kernel->restart(scan.planes.data(), num_lines(box.shape(), sink.axis));
  }
}

void strips::take_box(task_blocks& blocks, const region& box, const region& part,
                      const scan_input& input, std::span<const block_scan> scans) const {
  const scan_sink& scan = as_scan(sinks_.front());
  const std::size_t axis = scan.axis;
  const region overlap = intersect(part, input.box);
  if (overlap.empty()) return;
  const index_t count_before =
      scan.is_reversed ? box.stop[axis] - part.stop[axis] : part.start[axis] - box.start[axis];
  std::vector<block_operand> operands;
  for (const block_operand& operand : input.operands) {
    operands.push_back(offset_operand(operand, input.box, overlap, axis, scan.is_reversed));
  }
  const index_vector strides = state_strides(box.shape(), axis);
  index_t lines_before = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    lines_before += (overlap.start[k] - box.start[k]) * strides[k];
  }
  std::vector<block_scan> part_scans(scans.begin(), scans.end());
  for (std::size_t i = 0; i < part_scans.size(); ++i) {
    for (std::size_t plane = 0; plane < part_scans[i].planes.size(); ++plane) {
      part_scans[i].planes[plane] +=
          lines_before * itemsize_of(part_scans[i].kernel->planes[plane]);
    }
    part_scans[i].is_seeded = scan.made == stage::seeded && count_before == 0;
    if (scan.made == stage::totals || part.start[axis] < scan.skipped) continue;
    part_scans[i].to = blocks.result(i, shift_box(overlap, axis, scan.skipped));
    if (scan.is_reversed) reverse(part_scans[i].to, axis, overlap.stop[axis] - overlap.start[axis]);
  }
  run_scans(input.whole->program, operands, part_scans, overlap.shape(),
            {.axis = axis, .state_strides = strides, .taken = count_before}, blocks.scratch());
}

void strips::hand_on_totals(task_blocks& blocks, const region& box,
                            std::span<const block_scan> scans) const {
  const std::size_t axis = as_scan(sinks_.front()).axis;
  index_vector extents = box.shape();
  const index_vector strides = state_strides(extents, axis);
  extents[axis] = 1;
  std::size_t out = 0;
  for (const block_scan& scan : scans) {
    for (std::size_t plane = 0; plane < scan.kernel->num_handed(); ++plane, ++out) {
      const std::size_t itemsize = size_of(scan.kernel->planes[plane]);
      const block_result target = blocks.result(out, blocks.output_box(out));
      index_vector strides_in_elements = target.strides;
      for (index_t& stride : strides_in_elements) stride /= static_cast<index_t>(itemsize);
      detail::strided_copy(target.data, strides_in_elements, scan.planes[plane], strides, extents,
                           itemsize);
    }
  }
}

// Exclusive prefix: the prefix is written to the position of a state, then the state is added.
void strips::hand_on_seeds(task_blocks& blocks, const region& box,
                           std::span<const block_scan> scans) const {
  const scan_sink& sink = as_scan(sinks_.front());
  const piece& whole = pieces_.front();
  const index_vector strides = state_strides(box.shape(), sink.axis);
  const index_t lines = num_lines(box.shape(), sink.axis);
  for_each_box_of_scan(box, sink, 1, pieces_.all(), [&](const region& part) {
    std::vector<block_operand> operands;
    for (const std::size_t operand : whole.operands) {
      operands.push_back(blocks.operand(operand, part));
    }
    std::vector<strip_target> states;
    std::size_t out = 0;
    for (const block_scan& scan : scans) {
      const std::size_t count = scan.kernel->num_handed();
      for (std::size_t plane = 0; plane < count; ++plane, ++out) {
        const dtype type = scan.kernel->planes[plane];
        const block_result target = blocks.result(out, part);
        index_vector strides_in_elements = target.strides;
        for (index_t& stride : strides_in_elements) stride /= itemsize_of(type);
        detail::strided_copy(target.data, strides_in_elements, scan.planes[count + plane], strides,
                             part.shape(), size_of(type));
        states.push_back(
            {scan.result + plane, {scan.planes[plane], strides_in_bytes(strides, type)}});
      }
    }
    run_strips(whole.program, operands, states, {}, part.shape(), {}, blocks.scratch());
    for (const block_scan& scan : scans) scan.kernel->restart(scan.planes.data(), lines);
  });
}

}  // namespace tessera
