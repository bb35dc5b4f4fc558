// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/leaf_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tessera {

namespace {

int bits_of(index_t count) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
}

}  // namespace

std::size_t most_open_nodes(const fold_sink& fold, const walk& how) {
  int bits = 0;
  for (std::size_t axis = 0; axis < fold.leaf.size(); ++axis) {
    if (!fold.reduced[axis]) continue;
    const index_t leaf = fold.leaf[axis];
    const index_t extent = std::min(how.block[axis], how.domain[axis]);
    const bool is_aligned = extent == how.domain[axis] || extent % leaf == 0;
    bits += bits_of(std::max<index_t>(1, ceil_divide(extent, leaf))) + (is_aligned ? 0 : 1);
  }
  return static_cast<std::size_t>(bits) + 1;
}

leaf_tree::leaf_tree(const fold_sink& fold, const walk& how, const block_states& first,
                     index_t size)
    : first_(first), size_(size) {
  for (std::size_t axis = 0; axis < fold.leaf.size(); ++axis) {
    if (!fold.reduced[axis]) continue;
    const index_t count = ceil_divide(std::max<index_t>(1, how.domain[axis]), fold.leaf[axis]);
    axes_.push_back({axis, fold.leaf[axis], bits_of(count)});
  }
}

std::uint64_t leaf_tree::number_of(const region& step) const {
  std::uint64_t number = 0;
  for (const reduced_axis& each : axes_) {
    number = number << each.bits | static_cast<std::uint64_t>(step.start[each.axis] / each.leaf);
  }
  return number;
}

std::vector<std::byte*> leaf_tree::planes_of(std::size_t node) const {
  std::vector<std::byte*> planes = first_.planes;
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    planes[plane] += static_cast<std::size_t>(size_ * first_.cells) * node *
                     size_of(first_.kernel->planes[plane]);
  }
  return planes;
}

bool leaf_tree::are_halves(std::uint64_t last, const std::uint64_t* next) const {
  if (open_.size() < 2) return false;
  if (next == nullptr) return true;
  const auto level = std::bit_width(open_.back().first_leaf ^ open_[open_.size() - 2].first_leaf);
  return *next >> level != last >> level;
}

void leaf_tree::enter(block_states& states, const region& step, const region* next, index_t count) {
  states.are_new = !is_leaf_open_;
  if (states.are_new) {
    leaf_ = number_of(step);
    open_.push_back({leaf_, 0});
  }
  // The step before may have gone into another tree.
  states.planes = planes_of(open_.size() - 1);
  states.taken = std::exchange(open_.back().taken, open_.back().taken + count);
  states.into.clear();
  const std::uint64_t next_leaf = next == nullptr ? 0 : number_of(*next);
  is_leaf_open_ = next != nullptr && next_leaf == leaf_;
  if (is_leaf_open_) return;
  while (are_halves(leaf_, next == nullptr ? nullptr : &next_leaf)) {
    const index_t taken = open_.back().taken;
    open_.pop_back();
    states.into.push_back({planes_of(open_.size() - 1), open_.back().taken});
    open_.back().taken += taken;
  }
}

void leaf_tree::make(block_states& states) {
  if (std::exchange(states.are_new, false)) {
    first_.kernel->start(states.planes.data(), size_, states.parameters);
  }
  into_ = std::exchange(states.into, {});
}

void leaf_tree::merge(const block_states& states, index_t count) {
  index_t taken = states.taken + count;
  const std::vector<std::byte*>* from = &states.planes;
  for (earlier_states& each : into_) {
    first_.kernel->merge(each.planes.data(), from->data(), size_, each.taken, taken,
                         states.parameters);
    taken += each.taken;
    from = &each.planes;
  }
}

block_states leaf_tree::root() const {
  block_states root = first_;
  root.taken = open_.front().taken;
  return root;
}

}  // namespace tessera
