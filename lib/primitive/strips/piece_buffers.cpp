// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/piece_buffers.hpp"

#include "primitive/pieces/programs.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tessera {

namespace {

/// Tells whether some piece begins within a step.
bool begin_inside_steps(std::span<const piece> pieces, const loop_schedule& schedule) {
  return std::any_of(pieces.begin(), pieces.end(), [&](const piece& candidate) {
    for (std::size_t axis = 0; axis < candidate.box.rank(); ++axis) {
      const index_t block = std::max<index_t>(1, schedule.block[axis]);
      const index_t step = std::max<index_t>(1, schedule.step[axis]);
      if (candidate.box.start[axis] % block % step != 0) return true;
    }
    return false;
  });
}

/// Returns the operand that is result `result` of all pieces, or nullopt if there is none.
std::optional<std::size_t> common_operand(std::span<const piece> pieces, std::size_t result) {
  std::optional<std::size_t> common;
  for (const piece& part : pieces) {
    const std::size_t reg = part.program->results[result];
    if (reg >= part.program->num_operands) return std::nullopt;
    if (common && *common != part.operands[reg]) return std::nullopt;
    common = part.operands[reg];
  }
  return common;
}

/// Returns the row-major strides of contiguous elements, in bytes.
index_vector dense_strides(const index_vector& extents, std::size_t itemsize) {
  index_vector strides(extents.size(), 0);
  auto stride = static_cast<index_t>(itemsize);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

}  // namespace

piece_buffers::piece_buffers(const piece_list& pieces, const loop_schedule& schedule,
                             const region& part, const std::vector<bool>& is_folded)
    : pieces_(pieces), step_size_(num_elements(schedule.step)) {
  const std::span<const piece> near = pieces.near(part);
  has_cut_steps_ = near.size() > 1 && begin_inside_steps(near, schedule);
  if (!has_cut_steps_) return;
  const strip_program& first = near.front().program;
  std::vector<dtype> types;
  std::vector<std::size_t> results(is_folded.size(), 0);
  for (std::size_t result = 0; result < is_folded.size(); ++result) {
    if (!is_folded[result]) continue;
    results[result] = types.size();
    types.push_back(first.registers[first.results[result]]);
    folded_.push_back({result, types.back(), common_operand(near, result)});
  }
  program_ = identity_program(types);
  program_.results = std::move(results);
}

// A result may be an operand in one part of the domain only. So each folded result has a buffer,
// and buffers have the same numbers everywhere.
std::vector<buffer_demand> piece_buffers::buffers() const {
  std::vector<buffer_demand> buffers;
  for (const folded_result& result : folded_) {
    const std::size_t size = size_of(result.type) * static_cast<std::size_t>(step_size_);
    buffers.push_back({"pieces of a step", result.operand ? 0 : size});
  }
  return buffers;
}

bool piece_buffers::has_several_pieces(const region& step) const {
  if (!has_cut_steps_) return false;
  const auto near = pieces_.near(step);
  return std::count_if(near.begin(), near.end(),
                       [&](const piece& part) { return !intersect(step, part.box).empty(); }) > 1;
}

std::vector<block_operand> piece_buffers::operands_over(task_blocks& blocks, const region& step,
                                                        std::size_t first_buffer) const {
  std::vector<block_operand> operands(folded_.size());
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    if (folded_[i].operand) continue;
    operands[i].data = blocks.work_buffer(first_buffer + i).data();
    operands[i].strides = dense_strides(step.shape(), size_of(folded_[i].type));
  }
  return operands;
}

void piece_buffers::add_shared_operands(std::vector<block_operand>& operands, task_blocks& blocks,
                                        const region& step) const {
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    if (folded_[i].operand) operands[i] = blocks.operand(*folded_[i].operand, step);
  }
}

void piece_buffers::add_targets(std::vector<strip_target>& targets,
                                const std::vector<block_operand>& buffer_operands,
                                const region& step, const region& box) const {
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    if (folded_[i].operand) continue;
    index_t offset = 0;
    for (std::size_t axis = 0; axis < box.rank(); ++axis) {
      offset += (box.start[axis] - step.start[axis]) * buffer_operands[i].strides[axis];
    }
    // The operand is a buffer of the task, so its elements may be written.
    std::byte* const data = const_cast<std::byte*>(buffer_operands[i].data) + offset;
    targets.push_back({folded_[i].result, {data, buffer_operands[i].strides}});
  }
}

}  // namespace tessera
