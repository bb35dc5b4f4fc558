// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/leg_folds.hpp"

#include "tessera/primitive/results_in_memory.hpp"

#include "primitive/strips/fold_states.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Points the planes of states over `box`, which lie dense, to where they are handed on by outputs
/// from `member.output` on, if that is in memory and they lie there as well.
void point_into_results(block_states& states, const task_blocks& blocks, const region& box,
                        const fold_member& member, std::span<const output> made_of) {
  const auto* const known = dynamic_cast<const results_in_memory*>(&blocks);
  if (known == nullptr) return;
  const made_extents made(box.shape(), *member.fold, true);
  for (std::size_t plane = 0; plane < states.planes.size(); ++plane) {
    const std::size_t i = member.output + plane;
    if (!known->is_in_memory(i)) continue;
    const block_result to = blocks.result(i, made_of[i].box(blocks.how(), box));
    const auto itemsize = static_cast<index_t>(size_of(states.kernel->planes[plane]));
    bool lies_alike = true;
    for (std::size_t axis = 0; axis < made.extents.size(); ++axis) {
      lies_alike = lies_alike &&
                   (made.extents[axis] == 1 || to.strides[axis] == made.strides[axis] * itemsize);
    }
    if (lies_alike) states.planes[plane] = to.data;
  }
}

}  // namespace

state_places::state_places(const walk& how, const index_vector& leg, const fold_sink& fold)
    : part(leg), num_parts(leg.size(), 1), num_nodes(most_open_nodes(fold, how)) {
  for (std::size_t axis = 0; axis < leg.size(); ++axis) {
    part[axis] = std::min(how.stream[axis], leg[axis]);
    if (!fold.reduced[axis] && part[axis] > 0) num_parts[axis] = ceil_divide(leg[axis], part[axis]);
  }
  num_states = tessera::num_states(part, fold);
}

std::size_t state_places::size() const {
  const index_t all = checked_multiply(num_states, product(num_parts));
  return static_cast<std::size_t>(all) * num_nodes;
}

leg_folds::leg_folds(task_blocks& blocks, const region& leg, std::vector<fold_member> members,
                     std::span<const output> made_of, std::size_t first_own,
                     std::optional<program_part> part)
    : stream_(blocks.how().stream),
      leg_(leg),
      members_(std::move(members)),
      part_(std::move(part)),
      reduced_(members_.front().fold->reduced),
      next_own_(first_own) {
  const bool are_handed_on = !blocks.how().takes_all(reduced_);
  for (const fold_member& each : members_) {
    const fold_sink& fold = *each.fold;
    const fold_kernel& kernel = *fold.step.kernel;
    const state_places& places = places_.emplace_back(blocks.how(), leg.shape(), fold);
    const state_layout layout(places.part, fold);
    block_states first{.kernel = &kernel,
                       .parameters = fold.step.parameters.get(),
                       .result = each.result,
                       .cells = state_layout(places.part, fold).cells,
                       .num_groups = state_layout(places.part, fold).num_groups};
    for (std::size_t k = 0; k < kernel.planes.size(); ++k) {
      first.planes.push_back(blocks.own(next_own_++).data());
    }
    states_.push_back(first);
    trees_.emplace_back();
    const std::size_t values =
        static_cast<std::size_t>(places.num_states * first.cells) * places.num_nodes;
    for_each_box(leg_, whole_parts(), [&](const region& box) {
      first.group_stride = state_layout(box.shape(), fold).group_stride;
      block_states here = first;
      if (are_handed_on && places.num_nodes == 1) {
        point_into_results(here, blocks, box, each, made_of);
      }
      trees_.back().emplace_back(fold, blocks.how(), here, num_states(box.shape(), fold));
      for (std::size_t k = 0; k < kernel.planes.size(); ++k) {
        first.planes[k] += values * size_of(kernel.planes[k]);
      }
    });
  }
}

index_vector leg_folds::whole_parts() const {
  index_vector extents = places_.front().part;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (reduced_[axis]) extents[axis] = leg_.stop[axis] - leg_.start[axis];
  }
  return extents;
}

std::size_t leg_folds::part_of(const region& step) const {
  const state_places& places = places_.front();
  index_t number = 0;
  for (std::size_t axis = 0; axis < leg_.rank(); ++axis) {
    number *= places.num_parts[axis];
    if (!reduced_[axis]) number += (step.start[axis] - leg_.start[axis]) / stream_[axis];
  }
  return static_cast<std::size_t>(number);
}

/// Returns the step that is taken behind this one of all with the same part.
std::optional<region> leg_folds::behind(const region& step) const {
  region next = step;
  for (std::size_t axis = leg_.rank(); axis-- > 0;) {
    if (!reduced_[axis]) continue;
    next.start[axis] = step.stop[axis] < leg_.stop[axis] ? step.stop[axis] : leg_.start[axis];
    next.stop[axis] = std::min(next.start[axis] + stream_[axis], leg_.stop[axis]);
    if (next.start[axis] != leg_.start[axis]) return next;
  }
  return std::nullopt;
}

void leg_folds::begin(const region& step, index_t count, bool is_left_to_runner) {
  current_ = part_of(step);
  count_ = count;
  const std::optional<region> next = behind(step);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    block_states& states = states_[i];
    leaf_tree& tree = trees_[i][current_];
    tree.enter(states, step, next ? &*next : nullptr, count);
    states.group_stride = state_layout(step.shape(), *members_[i].fold).group_stride;
    // Pieces of a step, and groups, go into parts of the states, in no certain order.
    if (is_left_to_runner && states.num_groups == 0 && states.kernel->cells == nullptr) continue;
    tree.make(states);
  }
}

void leg_folds::end() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    trees_[i][current_].merge(states_[i], count_);
  }
}

index_vector leg_folds::strides(const region& step) const {
  return state_layout(step.shape(), *members_.front().fold).strides;
}

}  // namespace tessera
