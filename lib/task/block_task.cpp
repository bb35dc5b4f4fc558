// SPDX-License-Identifier: Apache-2.0
#include "task/block_task.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

namespace {

index_t itemsize_of(dtype type) { return static_cast<index_t>(size_of(type)); }

index_vector scaled(index_vector strides, index_t factor) {
  for (index_t& stride : strides) stride *= factor;
  return strides;
}

/// Copies a box of `extents` between strides in bytes.
void copy_box(dtype type, const block_operand& from, const block_result& to,
              std::span<const index_t> extents, std::span<std::byte> scratch) {
  const strip_program copy = strip_program::copy(type);
  run_map(copy, {&from, 1}, {&to, 1}, extents, scratch);
}

}  // namespace

block_task::block_task(const planned_operation& planned, std::span<const live_array> arrays,
                       std::span<std::byte> memory)
    : planned_(planned),
      arrays_(arrays),
      memory_(memory),
      operands_(planned.inputs.size()),
      held_(planned.inputs.size()) {}

const live_array& block_task::input(std::size_t i) const {
  return arrays_[planned_.inputs[i].array];
}

const live_array& block_task::output(std::size_t i) const {
  return arrays_[planned_.outputs[i].array];
}

std::span<std::byte> block_task::buffer(std::size_t id) const {
  if (id == no_buffer) return {};
  const scheduled_buffer& scheduled = planned_.buffers.buffers()[id];
  return memory_.subspan(scheduled.offset, scheduled.size);
}

void block_task::run(const region& box) {
  output_box_ = planned_.what.output_region(box);
  std::fill(held_.begin(), held_.end(), std::nullopt);
  start_outputs();
  if (const auto* map = std::get_if<map_body>(&planned_.what.body)) {
    run_map_body(*map, box);
  } else if (const auto* fold = std::get_if<fold_body>(&planned_.what.body)) {
    run_fold_body(*fold, box);
  } else {
    run_contraction_body(std::get<contraction_body>(planned_.what.body), box);
  }
  write_outputs();
}

void block_task::run_map_body(const map_body& map, const region& box) {
  std::vector<block_operand> operands;
  std::vector<block_result> results;
  for (const piece& part : map.pieces) {
    const region common = intersect(box, part.where);
    if (common.empty()) continue;
    operands.clear();
    for (const std::size_t operand : part.operands) {
      prepare(operand, common);
      operands.push_back(operands_[operand]);
    }
    if (planned_.outputs.front().access == output_access::forwarded) continue;
    results.clear();
    for (std::size_t i = 0; i < planned_.outputs.size(); ++i) {
      results.push_back(result_of(i, common));
    }
    run_map(part.program, operands, results, common.shape(), buffer(planned_.scratch));
  }
}

void block_task::run_fold_body(const fold_body& fold, const region& box) {
  const operation& what = planned_.what;
  index_t num_kept = 1;
  for (std::size_t axis = 0; axis < what.domain.size(); ++axis) {
    if (!what.reduced[axis]) num_kept *= box.stop[axis] - box.start[axis];
  }
  std::vector<block_states> states;
  std::size_t plane = 0;
  for (const fold_step& step : fold.folds) {
    block_states state{step.kernel, step.parameters.get(), {}};
    for (std::size_t i = 0; i < step.kernel->planes.size(); ++i) {
      state.planes.push_back(buffer(planned_.planes[plane++]).data());
    }
    step.kernel->start(state.planes.data(), num_kept);
    states.push_back(std::move(state));
  }
  take_steps(fold, box, states);
}

void block_task::take_steps(const fold_body& fold, const region& box,
                            std::span<const block_states> states) {
  const operation& what = planned_.what;
  index_vector state_strides(what.domain.size());
  index_t stride = 1;
  for (std::size_t axis = what.domain.size(); axis-- > 0;) {
    if (what.reduced[axis]) continue;
    state_strides[axis] = stride;
    stride *= box.stop[axis] - box.start[axis];
  }
  index_t taken = 0;
  const chunk_grid steps(box.shape(), what.stream);
  for (index_t number = 0; number < steps.size(); ++number) {
    region step = steps.chunk_region(steps.chunk_at(number));
    for (std::size_t axis = 0; axis < what.domain.size(); ++axis) {
      step.start[axis] += box.start[axis];
      step.stop[axis] += box.start[axis];
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) prepare(i, step);
    const bool is_combining = fold.phase == fold_phase::combine;
    // What a combining fold walks are blocks of the domain that the states were made from.
    const region counted = is_combining ? fold.parts.chunk_region(step.start) : step;
    index_t count = 1;
    for (std::size_t axis = 0; axis < what.domain.size(); ++axis) {
      if (what.reduced[axis]) count *= counted.stop[axis] - counted.start[axis];
    }
    run_fold(fold.program, operands_, states, step.shape(), what.reduced, state_strides, taken,
             is_combining ? count : 0, buffer(planned_.scratch));
    taken += count;
  }
  finish(fold, box, states, taken);
}

void block_task::finish(const fold_body& fold, const region& box,
                        std::span<const block_states> states, index_t taken) {
  const operation& what = planned_.what;
  const bool is_partial = fold.phase == fold_phase::partial;
  std::size_t out = 0;
  index_vector kept_extents;
  for (std::size_t axis = 0; axis < what.domain.size(); ++axis) {
    if (is_partial) {
      kept_extents.push_back(what.reduced[axis] ? 1 : box.stop[axis] - box.start[axis]);
    } else if (!what.reduced[axis]) {
      kept_extents.push_back(box.stop[axis] - box.start[axis]);
    }
  }
  const index_vector dense = row_major_strides(kept_extents);
  for (const block_states& state : states) {
    const fold_kernel& kernel = *state.kernel;
    if (is_partial) {
      for (std::size_t plane = 0; plane < kernel.planes.size(); ++plane, ++out) {
        const dtype type = kernel.planes[plane];
        const block_operand from{.data = state.planes[plane],
                                 .strides = scaled(dense, itemsize_of(type))};
        copy_box(type, from, result_of(out, output_box_), kept_extents, buffer(planned_.scratch));
      }
      continue;
    }
    // Outputs are contiguous along their last axis, and so are planes: row by row it is.
    const block_result result = result_of(out++, output_box_);
    const bool is_dense = result.strides == scaled(dense, itemsize_of(kernel.output));
    const index_t num_kept = num_elements(kept_extents);
    const index_t row = is_dense || kept_extents.empty() ? num_kept : kept_extents.back();
    index_vector position(kept_extents.size());
    for (index_t first = 0; first < num_kept; first += row) {
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
}

void block_task::run_contraction_body(const contraction_body& contraction, const region& box) {
  const contraction_kernel& kernel = *contraction.kernel;
  const index_t rows = box.stop[0] - box.start[0];
  const index_t columns = box.stop[1] - box.start[1];
  const index_t in_size = itemsize_of(kernel.input);
  const index_t out_size = itemsize_of(kernel.output);
  const block_result result = result_of(0, output_box_);
  for (index_t row = 0; row < rows; ++row) {
    std::memset(result.data + row * result.strides[0], 0,
                static_cast<std::size_t>(columns * out_size));
  }
  const index_t length = planned_.what.stream[2];
  for (index_t start = box.start[2]; start < box.stop[2]; start += length) {
    region step = box;
    step.start[2] = start;
    step.stop[2] = std::min(start + length, box.stop[2]);
    for (std::size_t i = 0; i < operands_.size(); ++i) prepare(i, step);
    const block_operand& a = operands_[0];
    const block_operand& b = operands_[1];
    kernel.accumulate({.rows = rows,
                       .columns = columns,
                       .inner = step.stop[2] - step.start[2],
                       .a = a.data,
                       .a_row_stride = a.strides[0] / in_size,
                       .a_inner_stride = a.strides[2] / in_size,
                       .b = b.data,
                       .b_inner_stride = b.strides[2] / in_size,
                       .b_column_stride = b.strides[1] / in_size,
                       .out = result.data,
                       .out_row_stride = result.strides[0] / out_size});
  }
}

}  // namespace tessera
