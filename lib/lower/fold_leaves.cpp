// SPDX-License-Identifier: Apache-2.0
#include "lower/fold_leaves.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

namespace {

/// The least elements of a leaf of a fold, and the least for each value of its state: the cost of
/// starting and merging a state is then small.
constexpr double least_leaf = 1 << 16;
constexpr double least_for_state = 32;
/// The least work of a leaf for each value along extra axes, such as the bins of a histogram:
/// elements times the weights of the kernels that compute labels and values.
constexpr double least_work_for_bin = 64;

/// The least elements of a step of a fold with leaves of more than `many_steps` steps: the cost of
/// beginning a step is then small.
constexpr double least_step = 1 << 12;
constexpr index_t many_steps = 16;

}  // namespace

double least_for_value(const fold_sink& sink, const std::vector<strip_source>& sources) {
  if (sink.extra_axes.empty()) return least_for_state;
  double weight = 1;
  for (const strip_source& source : sources) {
    if (source.kernel != nullptr) weight += source.kernel->weight;
  }
  return std::min(least_for_state, least_work_for_bin / weight);
}

index_vector choose_leaf(const index_vector& domain, const index_vector& chunks,
                         const fold_sink& sink, double least_of_value) {
  index_vector leaf(domain.size(), 1);
  double elements = 1;
  double state_values = 1;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    elements *= static_cast<double>(chunks[axis]);
    if (!sink.reduced[axis]) state_values *= static_cast<double>(chunks[axis]);
  }
  for (const index_t length : sink.extra_axes) state_values *= static_cast<double>(length);
  double factor = std::max(least_leaf, least_of_value * state_values) / elements;
  for (std::size_t axis = domain.size(); axis-- > 0;) {
    if (!sink.reduced[axis]) continue;
    leaf[axis] = chunks[axis];
    while (factor > 1 && leaf[axis] < domain[axis]) {
      leaf[axis] *= 2;
      factor /= 2;
    }
  }
  return leaf;
}

index_vector reference_step(index_vector step, const index_vector& domain) {
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    step[axis] = domain[axis] > 1 ? std::max<index_t>(2, step[axis]) : 1;
  }
  return step;
}

index_vector choose_step(const index_vector& domain, const index_vector& chunks,
                         const index_vector& leaf, axis_set reduced) {
  index_vector step = chunks;
  axis_set cut;
  std::size_t cut_axis = 0;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (chunks[axis] >= domain[axis]) continue;
    cut.set(axis);
    cut_axis = axis;
  }
  if (cut.count() != 1 || !reduced[cut_axis]) return step;
  double elements = 1;
  for (const index_t extent : chunks) elements *= static_cast<double>(extent);
  while (elements < least_step && step[cut_axis] * many_steps < leaf[cut_axis]) {
    step[cut_axis] *= 2;
    elements *= 2;
  }
  return step;
}

}  // namespace tessera
