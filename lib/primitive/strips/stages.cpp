// SPDX-License-Identifier: Apache-2.0
/// \file
/// How folds of strips are done in two stages.

#include "tessera/primitive/strips.hpp"

#include "primitive/strips/programs.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera {

namespace {

/// So many folds over the same axes may be combined each by itself.
constexpr std::size_t most_apart = 16;

std::size_t first_of(axis_set axes) {
  std::size_t axis = 0;
  while (axis < max_rank && !axes[axis]) ++axis;
  return axis;
}

/// Returns what combines the states of a fold in parts of a domain of `rank`: it merges those of
/// groups where they lie, each as a leaf, and takes cells as elements along an axis more.
fold_sink combining(const fold_sink& fold, std::size_t rank) {
  const bool has_cells = fold.step.kernel->cells != nullptr;
  const std::size_t place = first_of(fold.reduced);
  fold_sink combine{fold.step, {}};
  for (std::size_t axis = 0; axis < max_rank - fold.own.size(); ++axis) {
    const std::size_t moved = axis < place ? axis : axis + fold.own.size();
    combine.reduced[moved] = fold.reduced[axis];
  }
  if (has_cells) {
    combine.own = fold.own;
    combine.reduced.set(place);
  } else {
    combine.leaf = index_vector(rank + fold.own.size(), 1);
  }
  return combine;
}

/// Returns the grid of parts with whole axes of the fold's own.
chunk_grid with_own_axes(const chunk_grid& parts, const fold_sink& fold) {
  index_vector shape;
  index_vector chunks;
  for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
    if (axis == first_of(fold.reduced)) {
      for (const index_t length : fold.own) {
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
bool is_own(const fold_sink& fold, std::size_t axis) {
  const std::size_t place = first_of(fold.reduced);
  return place <= axis && axis < place + fold.own.size();
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
    stages.num_states[sink] = fold(sink).step.kernel->planes.size();
    folds.push_back(sinks_[sink]);
  }
  stages.combine = [states = planes(group), folds](const chunk_grid& grid) {
    const fold_sink& first = std::get<fold_sink>(folds.front());
    const chunk_grid parts = with_own_axes(grid, first);
    std::vector<strip_sink> sinks;
    for (const strip_sink& fold : folds) {
      sinks.emplace_back(combining(std::get<fold_sink>(fold), grid.rank()));
    }
    const axis_set reduced = std::get<fold_sink>(sinks.front()).reduced;
    // What is combined has one element for each part along the axes that are reduced.
    region all = region::whole(parts.shape());
    for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
      if (reduced[axis] && !is_own(first, axis)) all.stop[axis] = parts.num_chunks()[axis];
    }
    strip_program program = handing_on(states);
    std::vector<std::size_t> operands = program.results;
    piece whole{std::move(all), std::move(operands), std::move(program)};
    const bool has_cells = first.step.kernel->cells != nullptr;
    return std::make_shared<const strips>(std::vector{std::move(whole)}, std::move(sinks),
                                          has_cells ? std::nullopt : std::optional(parts));
  };
  // Leaves are as many chunks as a power of two along each axis, so that those of one nest in those
  // of another.
  for (const strip_sink& sink : folds) {
    const index_vector& leaf = std::get<fold_sink>(sink).leaf;
    if (stages.leaf.empty()) stages.leaf = leaf;
    for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
      stages.leaf[axis] = std::max(stages.leaf[axis], leaf[axis]);
    }
  }
  for (const dtype type : planes(group)) stages.state_bytes += size_of(type);
  for (const index_t length : fold(group.sinks.front()).own) {
    stages.state_bytes *= static_cast<std::size_t>(length);
  }
  for (const piece& part : pieces_) {
    for (std::size_t i = 0; i < part.program.num_operands; ++i) {
      stages.element_bytes = std::max(stages.element_bytes, size_of(part.program.registers[i]));
    }
  }
  if (group.sinks.size() > 1 && group.sinks.size() <= most_apart) {
    for (const std::size_t sink : group.sinks) {
      stages.apart.push_back(stages_of({group.reduced, {sink}}));
    }
  }
  return stages;
}

}  // namespace tessera
