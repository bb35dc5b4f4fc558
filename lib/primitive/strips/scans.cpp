// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips that scan.

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

/// Returns the steps of states, which lie dense, along the axes of a box: 0 along lines.
index_vector strides_of_states(index_vector extents, std::size_t axis) {
  extents[axis] = 1;
  index_vector strides = row_major_strides(extents);
  strides[axis] = 0;
  return strides;
}

index_vector in_bytes(index_vector strides, dtype type) {
  for (index_t& stride : strides) stride *= itemsize_of(type);
  return strides;
}

void reverse(block_result& result, std::size_t axis, index_t extent) {
  result.data += (extent - 1) * result.strides[axis];
  result.strides[axis] = -result.strides[axis];
}

/// Returns the first of `first` and the multiples of `length` behind it that is behind `at`.
index_t mark_behind(index_t at, index_t first, index_t length) {
  return at < first ? first : first + ((at - first) / length + 1) * length;
}

/// Returns the last multiple of `length` before `at`.
index_t mark_before(index_t at, index_t length) { return (at - 1) / length * length; }

/// Returns the first end of a piece along `axis` that is behind `at`, or the last before it.
index_t border_from(index_t at, const std::vector<piece>& pieces, std::size_t axis,
                    bool is_reversed) {
  index_t nearest = is_reversed ? 0 : greatest_index;
  for (const piece& each : pieces) {
    for (const index_t border : {each.where.start[axis], each.where.stop[axis]}) {
      if (is_reversed && border < at) nearest = std::max(nearest, border);
      if (!is_reversed && border > at) nearest = std::min(nearest, border);
    }
  }
  return nearest;
}

/// Calls `f` with the parts of `box`, in the order in which the scan meets them, of which none
/// crosses the end of a leaf, of a piece, of a box of `length` that is read, or of one that is
/// written.
template <class F>
void for_each_box_of_scan(const region& box, const scan_sink& how, index_t length,
                          const std::vector<piece>& pieces, F f) {
  const std::size_t axis = how.axis;
  region part = box;
  if (how.is_reversed) {
    while (part.stop[axis] > box.start[axis]) {
      const index_t at = part.stop[axis];
      part.start[axis] = std::max({box.start[axis], mark_before(at, length),
                                   mark_before(at, how.leaf), border_from(at, pieces, axis, true)});
      f(part);
      part.stop[axis] = part.start[axis];
    }
    return;
  }
  while (part.start[axis] < box.stop[axis]) {
    const index_t at = part.start[axis];
    part.stop[axis] =
        std::min({box.stop[axis], mark_behind(at, 0, length), mark_behind(at, 0, how.leaf),
                  mark_behind(at, how.skipped, length), border_from(at, pieces, axis, false)});
    f(part);
    part.start[axis] = part.stop[axis];
  }
}

/// Returns the part of `box` in which `part` lies, of those that begin at `first` and at multiples
/// of `length` behind it.
region leg_around(const region& box, const region& part, std::size_t axis, index_t first,
                  index_t length) {
  region leg = box;
  const index_t start = first + (part.start[axis] - first) / length * length;
  leg.start[axis] = std::max(box.start[axis], start);
  leg.stop[axis] = std::min(box.stop[axis], start + length);
  return leg;
}

/// Returns `operand` of `whole` over a part of it.
block_operand over(const block_operand& operand, const region& whole, const region& part,
                   std::size_t axis, bool is_reversed) {
  block_operand there = operand;
  const index_t first = is_reversed ? part.stop[axis] - 1 : part.start[axis];
  const index_t offset = (first - whole.start[axis]) * operand.strides[axis];
  if (there.data != nullptr) there.data += offset;
  there.first += there.data != nullptr ? 0 : offset;
  if (is_reversed) there.strides[axis] = -there.strides[axis];
  return there;
}

/// Returns where a box of the domain is in an output that begins `skipped` elements into `axis`.
region moved(region box, std::size_t axis, index_t skipped) {
  box.start[axis] -= skipped;
  box.stop[axis] -= skipped;
  return box;
}

}  // namespace

std::vector<dtype> scan_sink::handed() const {
  return {kernel->planes.begin(),
          kernel->planes.begin() + static_cast<std::ptrdiff_t>(kernel->num_handed())};
}

std::vector<dtype> scan_sink::takes() const {
  std::vector<dtype> types;
  if (made != stage::seeds) types.push_back(kernel->input);
  if (made == stage::seeds || made == stage::seeded) {
    const std::vector<dtype> states = handed();
    types.insert(types.end(), states.begin(), states.end());
  }
  return types;
}

std::vector<dtype> scan_sink::gives() const {
  if (made == stage::whole || made == stage::seeded) return {kernel->output};
  return handed();
}

std::vector<output> strips::outputs_of_scans(const walk& how) const {
  std::vector<output> made;
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    for (output& each : kept_axes(how, scan.gives())) {
      if (scan.made == stage::totals) each.axes[scan.axis].how = output_axis::kind::per_block;
      each.axes[scan.axis].skipped = scan.skipped;
      made.push_back(std::move(each));
    }
  }
  return made;
}

void strips::check_scans(const operation_rules& rules) const {
  const walk& how = rules.how();
  rules.require(
      std::ranges::all_of(
          sinks_, [](const strip_sink& sink) { return std::holds_alternative<scan_sink>(sink); }),
      "scans have a walk for themselves");
  const scan_sink& first = as_scan(sinks_.front());
  const std::size_t axis = first.axis;
  rules.require(axis < how.rank(), "an axis of the domain is scanned");
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    rules.require(scan.goes_like(first), "the scans of one walk go alike");
    const bool is_cut = scan.made != stage::whole;
    rules.require(!is_cut || scan.kernel->restart != nullptr, "the scan can be cut");
    rules.require(scan.skipped == 0 || (!is_cut && !scan.is_reversed),
                  "elements are skipped by whole scans from the first element on");
    rules.require(cells_of(scan) >= 1, "a state has cells");
  }
  const bool has_leaves = first.made == stage::totals || first.made == stage::seeded;
  if (has_leaves) {
    rules.require(how.block[axis] == first.leaf || how.takes_all(axis_set().set(axis)),
                  "a task scans one leaf");
  } else {
    rules.check_takes_all(axis_set().set(axis));
  }
  rules.require(how.ordered[axis] || how.stream[axis] == how.block[axis],
                "what is scanned is walked in order");
  rules.require(pieces_.size() == 1 || first.made != stage::seeds, "states are one piece");
  for (const piece& part : pieces_) {
    bool is_part = part.where.empty();
    if (!is_part) {
      region leaf = region::whole(how.domain);
      leaf.start[axis] = part.where.start[axis];
      leaf.stop[axis] =
          std::min(leaf.start[axis] / first.leaf * first.leaf + first.leaf, how.domain[axis]);
      is_part = part.where == leaf && leaf.start[axis] % first.leaf == 0;
    }
    rules.require(first.made != stage::seeded || is_part, "a piece is one leaf");
  }
}

void strips::add_scans(task_demand& needs, const walk& how, std::size_t step) const {
  std::size_t scratch = 0;
  for (const piece& part : pieces_) {
    scratch = std::max(scratch, scan_scratch_bytes(part.program, num_elements(how.stream)));
  }
  needs.scratch = std::max(needs.scratch, scratch);
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    const index_t distance = distance_of_cells(*scan.kernel, num_lines(how.leg(), scan.axis));
    const auto values = static_cast<std::size_t>(checked_multiply(distance, cells_of(scan)));
    for (const dtype type : scan.kernel->planes) {
      needs.own.push_back({fmt::format("state of {}", scan.kernel->label), size_of(type) * values});
    }
    const walk_stretch with = scan.made == stage::totals ? walk_stretch::task : walk_stretch::leg;
    for (std::size_t i = 0; i < scan.gives().size(); ++i) {
      needs.outputs.push_back({{0, step++}, with});
    }
  }
  needs.last_of_stream = step - 1;
  // What is read for one leg of an output is there for the next, and pieces go together.
  const scan_sink& first = as_scan(sinks_.front());
  if (first.skipped == 0 && (pieces_.size() == 1 || first.made == stage::seeded)) return;
  for (operand_demand& operand : needs.operands) {
    if (operand.is_used) operand.used = {0, step - 1};
  }
}

std::vector<block_scan> strips::start_scans(task_blocks& blocks,
                                            const index_vector& extents) const {
  std::vector<block_scan> scans;
  std::size_t own = 0;
  std::size_t result = 0;
  for (const strip_sink& sink : sinks_) {
    const scan_sink& scan = as_scan(sink);
    const index_t distance = distance_of_cells(*scan.kernel, num_lines(extents, scan.axis));
    block_scan made{.kernel = scan.kernel,
                    .parameters = scan.parameters.get(),
                    .cell_stride = distance,
                    .result = result};
    for (std::size_t k = 0; k < scan.kernel->planes.size(); ++k) {
      made.planes.push_back(blocks.own(own++).data());
    }
    scan.kernel->start(made.planes.data(), distance, made.parameters);
    scans.push_back(std::move(made));
    result += scan.takes().size();
  }
  return scans;
}

// Where elements are skipped, boxes that are written begin elsewhere than those that are read.
void strips::run_scan(task_blocks& blocks, const region& box) const {
  const scan_sink& how = as_scan(sinks_.front());
  const std::size_t axis = how.axis;
  const index_t length = blocks.how().stream[axis];
  const std::vector<block_scan> scans = start_scans(blocks, box.shape());
  if (how.made == stage::seeds) {
    blocks.begin(walk_stretch::leg, box);
    hand_on_seeds(blocks, box, scans);
    blocks.end(walk_stretch::leg);
    return;
  }
  std::vector<scan_input> inputs;
  std::optional<region> read;
  std::optional<region> written;
  for_each_box_of_scan(box, how, length, pieces_.all(), [&](const region& part) {
    const region in = leg_around(box, part, axis, 0, length);
    if (!(read == in)) {
      blocks.begin(walk_stretch::step, in);
      inputs = inputs_over(blocks, *(read = in));
    }
    if (part.start[axis] >= how.skipped) {
      const region out = leg_around(box, part, axis, how.skipped, length);
      if (!written) blocks.begin(walk_stretch::leg, *(written = out));
    }
    restart_at(box, part, scans);
    for (const scan_input& input : inputs) take_box(blocks, box, part, input, scans);
    // What writing takes may lie where the next is read.
    const bool is_done = written && (how.is_reversed ? part.start[axis] == written->start[axis]
                                                     : part.stop[axis] == written->stop[axis]);
    if (is_done) {
      blocks.end(walk_stretch::leg);
      written.reset();
    }
  });
  if (how.made == stage::totals) hand_on_totals(blocks, box, scans);
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
  const scan_sink& how = as_scan(sinks_.front());
  const index_t edge = how.is_reversed ? part.stop[how.axis] : part.start[how.axis];
  const index_t first = how.is_reversed ? box.stop[how.axis] : box.start[how.axis];
  if (edge == first || edge % how.leaf != 0) return;
  for (const block_scan& scan : scans) {
    if (scan.kernel->restart == nullptr) continue;
    scan.kernel->restart(scan.planes.data(), num_lines(box.shape(), how.axis));
  }
}

void strips::take_box(task_blocks& blocks, const region& box, const region& part,
                      const scan_input& input, std::span<const block_scan> scans) const {
  const scan_sink& how = as_scan(sinks_.front());
  const std::size_t axis = how.axis;
  const region common = intersect(part, input.box);
  if (common.empty()) return;
  const index_t taken =
      how.is_reversed ? box.stop[axis] - part.stop[axis] : part.start[axis] - box.start[axis];
  std::vector<block_operand> operands;
  for (const block_operand& operand : input.operands) {
    operands.push_back(over(operand, input.box, common, axis, how.is_reversed));
  }
  const index_vector strides = strides_of_states(box.shape(), axis);
  index_t lines_before = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    lines_before += (common.start[k] - box.start[k]) * strides[k];
  }
  std::vector<block_scan> here(scans.begin(), scans.end());
  for (std::size_t i = 0; i < here.size(); ++i) {
    for (std::size_t plane = 0; plane < here[i].planes.size(); ++plane) {
      here[i].planes[plane] += lines_before * itemsize_of(here[i].kernel->planes[plane]);
    }
    here[i].is_seeded = how.made == stage::seeded && taken == 0;
    if (how.made == stage::totals || part.start[axis] < how.skipped) continue;
    here[i].to = blocks.result(i, moved(common, axis, how.skipped));
    if (how.is_reversed) reverse(here[i].to, axis, common.stop[axis] - common.start[axis]);
  }
  run_scans(input.whole->program, operands, here, common.shape(),
            {.axis = axis, .state_strides = strides, .taken = taken}, blocks.scratch());
}

void strips::hand_on_totals(task_blocks& blocks, const region& box,
                            std::span<const block_scan> scans) const {
  const std::size_t axis = as_scan(sinks_.front()).axis;
  index_vector extents = box.shape();
  const index_vector strides = strides_of_states(extents, axis);
  extents[axis] = 1;
  std::size_t out = 0;
  for (const block_scan& scan : scans) {
    for (std::size_t plane = 0; plane < scan.kernel->num_handed(); ++plane, ++out) {
      const std::size_t itemsize = size_of(scan.kernel->planes[plane]);
      const block_result to = blocks.result(out, blocks.output_box(out));
      index_vector into = to.strides;
      for (index_t& stride : into) stride /= static_cast<index_t>(itemsize);
      detail::strided_copy(to.data, into, scan.planes[plane], strides, extents, itemsize);
    }
  }
}

// What is before a state goes where the state came from, and then takes it.
void strips::hand_on_seeds(task_blocks& blocks, const region& box,
                           std::span<const block_scan> scans) const {
  const scan_sink& how = as_scan(sinks_.front());
  const piece& whole = pieces_.front();
  const index_vector strides = strides_of_states(box.shape(), how.axis);
  const index_t lines = num_lines(box.shape(), how.axis);
  for_each_box_of_scan(box, how, 1, pieces_.all(), [&](const region& part) {
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
        const block_result to = blocks.result(out, part);
        index_vector into = to.strides;
        for (index_t& stride : into) stride /= itemsize_of(type);
        detail::strided_copy(to.data, into, scan.planes[count + plane], strides, part.shape(),
                             size_of(type));
        states.push_back({scan.result + plane, {scan.planes[plane], in_bytes(strides, type)}});
      }
    }
    run_strips(whole.program, operands, states, {}, part.shape(), {}, blocks.scratch());
    for (const block_scan& scan : scans) scan.kernel->restart(scan.planes.data(), lines);
  });
}

}  // namespace tessera
