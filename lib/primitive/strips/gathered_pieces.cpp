// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/gathered_pieces.hpp"

#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tessera {

namespace {

/// Tells whether some piece begins within a step.
bool cut_steps(std::span<const piece> pieces, const walk& how) {
  return std::any_of(pieces.begin(), pieces.end(), [&](const piece& part) {
    for (std::size_t axis = 0; axis < part.where.rank(); ++axis) {
      const index_t block = std::max<index_t>(1, how.block[axis]);
      const index_t step = std::max<index_t>(1, how.stream[axis]);
      if (part.where.start[axis] % block % step != 0) return true;
    }
    return false;
  });
}

/// Returns the operand that all pieces hand on as that result.
std::optional<std::size_t> handed_on(std::span<const piece> pieces, std::size_t result) {
  std::optional<std::size_t> same;
  for (const piece& part : pieces) {
    const std::size_t reg = part.program.results[result];
    if (reg >= part.program.num_operands) return std::nullopt;
    if (same && *same != part.operands[reg]) return std::nullopt;
    same = part.operands[reg];
  }
  return same;
}

/// Returns the strides of elements that lie dense, in bytes.
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

gathered_pieces::gathered_pieces(const piece_list& pieces, const walk& how, const region& within,
                                 const std::vector<bool>& is_folded)
    : pieces_(pieces), step_size_(num_elements(how.stream)) {
  const std::span<const piece> near = pieces.near(within);
  are_steps_cut_ = near.size() > 1 && cut_steps(near, how);
  if (!are_steps_cut_) return;
  const strip_program& first = near.front().program;
  std::vector<dtype> types;
  std::vector<std::size_t> results(is_folded.size(), 0);
  for (std::size_t result = 0; result < is_folded.size(); ++result) {
    if (!is_folded[result]) continue;
    results[result] = types.size();
    types.push_back(first.registers[first.results[result]]);
    folded_.push_back({result, types.back(), handed_on(near, result)});
  }
  program_ = handing_on(types);
  program_.results = std::move(results);
}

// Within a part of the domain all pieces may hand on what not all of them do elsewhere: what is
// folded has its number everywhere.
std::vector<own_buffer> gathered_pieces::buffers() const {
  std::vector<own_buffer> needed;
  for (const folded& each : folded_) {
    const std::size_t size = size_of(each.type) * static_cast<std::size_t>(step_size_);
    needed.push_back({"pieces of a step", each.operand ? 0 : size});
  }
  return needed;
}

bool gathered_pieces::has(const region& step) const {
  if (!are_steps_cut_) return false;
  const auto near = pieces_.near(step);
  return std::count_if(near.begin(), near.end(),
                       [&](const piece& part) { return !intersect(step, part.where).empty(); }) > 1;
}

std::vector<block_operand> gathered_pieces::rooms(task_blocks& blocks, const region& step,
                                                  std::size_t first) const {
  std::vector<block_operand> all(folded_.size());
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    if (folded_[i].operand) continue;
    all[i].data = blocks.own(first + i).data();
    all[i].strides = dense_strides(step.shape(), size_of(folded_[i].type));
  }
  return all;
}

void gathered_pieces::add_handed_on(std::vector<block_operand>& operands, task_blocks& blocks,
                                    const region& step) const {
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    if (folded_[i].operand) operands[i] = blocks.operand(*folded_[i].operand, step);
  }
}

void gathered_pieces::add_targets(std::vector<strip_target>& targets,
                                  const std::vector<block_operand>& rooms, const region& step,
                                  const region& box) const {
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    if (folded_[i].operand) continue;
    index_t offset = 0;
    for (std::size_t axis = 0; axis < box.rank(); ++axis) {
      offset += (box.start[axis] - step.start[axis]) * rooms[i].strides[axis];
    }
    // A task's own buffer, which operands may only read.
    std::byte* const data = const_cast<std::byte*>(rooms[i].data) + offset;
    targets.push_back({folded_[i].result, {data, rooms[i].strides}});
  }
}

}  // namespace tessera
