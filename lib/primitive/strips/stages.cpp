// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tree reduction of folds: partial states in blocks, then a fold that combines them.
///
/// Problem: a fold over an axis of many chunks would be one task. Several tasks should share it,
/// with the same bits.
///
/// Idea: cut the reduced axes into blocks. The first operation makes a state for each block, an
/// output for each state field of the state:
///
///     x[t, y], sum over t     blocks along t     state fields [nt, y]     combining fold over nt
///
/// The combining fold merges states as leaves of one element. Extra axes (values of states, groups)
/// become axes of the state's array, in front of the first reduced axis.
///
/// Invariant: an aligned block of 2^k leaves is a subtree of the reduction tree, so states are
/// merged in the order of one task (`reduction_tree`).
/// Reference: the two phases of parallel aggregation, Graefe, "Query evaluation techniques" (1993).

#include "primitive/api/strips.hpp"
#include "primitive/pieces/programs.hpp"
#include "primitive/strips/fold_states.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera {

namespace {

/// The most folds of a group for which stages of each fold alone are offered.
constexpr std::size_t most_separate_folds = 16;

/// Returns the fold that combines states of `fold`, for a domain of `rank`. States are merged as
/// leaves of one element; values of states are folded as elements, along one more axis.
fold_sink combining_fold(const fold_sink& fold, std::size_t rank) {
  const bool has_vector_states = fold.step.kernel->state_length != nullptr;
  const std::size_t extra_axis = first_reduced_axis(fold.reduced);
  fold_sink combine{fold.step, {}};
  for (std::size_t axis = 0; axis < max_rank - fold.extra_axes.size(); ++axis) {
    const std::size_t target = axis < extra_axis ? axis : axis + fold.extra_axes.size();
    combine.reduced[target] = fold.reduced[axis];
  }
  if (has_vector_states) {
    combine.extra_axes = fold.extra_axes;
    combine.reduced.set(extra_axis);
  } else {
    combine.leaf = index_vector(rank + fold.extra_axes.size(), 1);
  }
  return combine;
}

/// Returns the grid of `parts` with the extra axes of `fold`, each in one chunk.
chunk_grid insert_extra_axes(const chunk_grid& parts, const fold_sink& fold) {
  index_vector shape;
  index_vector chunks;
  for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
    if (axis == first_reduced_axis(fold.reduced)) {
      for (const index_t length : fold.extra_axes) {
        shape.push_back(length);
        chunks.push_back(length);
      }
    }
    shape.push_back(parts.shape()[axis]);
    chunks.push_back(parts.chunks()[axis]);
  }
  return {std::move(shape), std::move(chunks)};
}

/// Tells whether an axis of `with_own_axes` is one of the fold's own.
bool is_extra_axis(const fold_sink& fold, std::size_t axis) {
  const std::size_t extra_axis = first_reduced_axis(fold.reduced);
  return extra_axis <= axis && axis < extra_axis + fold.extra_axes.size();
}

/// Returns the primitive that combines the states of `folds`, which share their reduced axes.
/// `grid` is the grid of the states without extra axes; `states` are the types of their state
/// fields.
primitive_handle combining_strips(const std::vector<strip_sink>& folds,
                                  const std::vector<dtype>& states, const chunk_grid& grid) {
  const fold_sink& first = std::get<fold_sink>(folds.front());
  const chunk_grid parts = insert_extra_axes(grid, first);
  std::vector<strip_sink> sinks;
  for (const strip_sink& fold : folds) {
    sinks.emplace_back(combining_fold(std::get<fold_sink>(fold), grid.rank()));
  }
  const axis_set reduced = std::get<fold_sink>(sinks.front()).reduced;
  // States have one element for each part along the reduced axes.
  region domain = region::whole(parts.shape());
  for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
    if (reduced[axis] && !is_extra_axis(first, axis)) {
      domain.stop[axis] = parts.num_chunks()[axis];
    }
  }
  strip_program program = identity_program(states);
  std::vector<std::size_t> operands = program.results;
  piece whole{std::move(domain), std::move(operands), std::move(program)};
  const bool has_vector_states = first.step.kernel->state_length != nullptr;
  return std::make_shared<const strips>(std::vector{std::move(whole)}, std::move(sinks),
                                        has_vector_states ? std::nullopt : std::optional(parts));
}

}  // namespace

std::vector<two_stages> strips::in_stages() const {
  std::vector<two_stages> stages;
  if (merged_) return stages;
  for (const fold_group& group : groups_) stages.push_back(stages_of(group));
  return stages;
}

two_stages strips::stages_of(const fold_group& group) const {
  two_stages stages;
  stages.reduced = group.reduced;
  stages.num_states.resize(sinks_.size(), 0);
  std::vector<strip_sink> folds;
  for (const std::size_t sink : group.sinks) {
    stages.num_states[sink] = fold(sink).step.kernel->state_fields.size();
    folds.push_back(sinks_[sink]);
  }
  stages.combine = [states = state_fields(group), folds](const chunk_grid& grid) {
    return combining_strips(folds, states, grid);
  };
  // A leaf is a power of two of chunks along each axis, so the leaves of all folds nest.
  for (const strip_sink& sink : folds) {
    const index_vector& leaf = std::get<fold_sink>(sink).leaf;
    if (stages.leaf.empty()) stages.leaf = leaf;
    for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
      stages.leaf[axis] = std::max(stages.leaf[axis], leaf[axis]);
    }
  }
  for (const dtype type : state_fields(group)) stages.state_bytes += size_of(type);
  for (const index_t length : fold(group.sinks.front()).extra_axes) {
    stages.state_bytes *= static_cast<std::size_t>(length);
  }
  for (const piece& part : pieces_) {
    for (std::size_t i = 0; i < part.program->num_operands; ++i) {
      stages.element_bytes = std::max(stages.element_bytes, size_of(part.program->registers[i]));
    }
  }
  if (group.sinks.size() > 1 && group.sinks.size() <= most_separate_folds) {
    for (const std::size_t sink : group.sinks) {
      stages.apart.push_back(stages_of({group.reduced, {sink}}));
    }
  }
  return stages;
}

}  // namespace tessera
