// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/reduction_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tessera {

namespace {

int bits_of(index_t count) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
}

}  // namespace

std::size_t most_open_nodes(const fold_sink& fold, const loop_schedule& schedule) {
  int bits = 0;
  for (std::size_t axis = 0; axis < fold.leaf.size(); ++axis) {
    if (!fold.reduced[axis]) continue;
    const index_t leaf = fold.leaf[axis];
    const index_t extent = std::min(schedule.block[axis], schedule.domain[axis]);
    const bool is_aligned = extent == schedule.domain[axis] || extent % leaf == 0;
    bits += bits_of(std::max<index_t>(1, ceil_divide(extent, leaf))) + (is_aligned ? 0 : 1);
  }
  return static_cast<std::size_t>(bits) + 1;
}

reduction_tree::reduction_tree(const fold_sink& fold, const loop_schedule& schedule,
                               const block_states& first, index_t size)
    : first_(first), size_(size) {
  for (std::size_t axis = 0; axis < fold.leaf.size(); ++axis) {
    if (!fold.reduced[axis]) continue;
    const index_t count = ceil_divide(std::max<index_t>(1, schedule.domain[axis]), fold.leaf[axis]);
    axes_.push_back({axis, fold.leaf[axis], bits_of(count)});
  }
}

std::uint64_t reduction_tree::leaf_number(const region& step) const {
  std::uint64_t number = 0;
  for (const reduced_axis& axis : axes_) {
    number = number << axis.bits | static_cast<std::uint64_t>(step.start[axis.axis] / axis.leaf);
  }
  return number;
}

std::vector<std::byte*> reduction_tree::node_fields(std::size_t node) const {
  std::vector<std::byte*> state_fields = first_.state_fields;
  for (std::size_t field = 0; field < state_fields.size(); ++field) {
    state_fields[field] += static_cast<std::size_t>(size_ * first_.state_length) * node *
                           size_of(first_.kernel->state_fields[field]);
  }
  return state_fields;
}

bool reduction_tree::are_siblings(std::uint64_t last, const std::uint64_t* next) const {
  if (stack_.size() < 2) return false;
  if (next == nullptr) return true;
  const auto level =
      std::bit_width(stack_.back().first_leaf ^ stack_[stack_.size() - 2].first_leaf);
  return *next >> level != last >> level;
}

void reduction_tree::begin_step(block_states& states, const region& step, const region* next,
                                index_t count) {
  states.are_new = !is_leaf_open_;
  if (states.are_new) {
    leaf_ = leaf_number(step);
    stack_.push_back({leaf_, 0});
  }
  // The previous step may belong to another tree.
  states.state_fields = node_fields(stack_.size() - 1);
  states.num_taken = std::exchange(stack_.back().count, stack_.back().count + count);
  states.into.clear();
  const std::uint64_t next_leaf = next == nullptr ? 0 : leaf_number(*next);
  is_leaf_open_ = next != nullptr && next_leaf == leaf_;
  if (is_leaf_open_) return;
  while (are_siblings(leaf_, next == nullptr ? nullptr : &next_leaf)) {
    const index_t merged = stack_.back().count;
    stack_.pop_back();
    states.into.push_back({node_fields(stack_.size() - 1), stack_.back().count});
    stack_.back().count += merged;
  }
}

void reduction_tree::start_states(block_states& states) {
  if (std::exchange(states.are_new, false)) {
    first_.kernel->start(states.state_fields.data(), size_, states.parameters);
  }
  pending_merges_ = std::exchange(states.into, {});
}

void reduction_tree::merge_states(const block_states& states, index_t count) {
  index_t merged = states.num_taken + count;
  const std::vector<std::byte*>* from = &states.state_fields;
  for (earlier_states& target : pending_merges_) {
    first_.kernel->merge(target.state_fields.data(), from->data(), size_, target.num_taken, merged,
                         states.parameters);
    merged += target.num_taken;
    from = &target.state_fields;
  }
}

block_states reduction_tree::root() const {
  block_states root = first_;
  root.num_taken = stack_.front().count;
  return root;
}

}  // namespace tessera
