// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/slabs.hpp"

#include "tessera/kernel/kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tessera {

namespace {

/// So much stays in the second-level cache.
constexpr index_t cached = 256 * 1024;

/// Strips run along the last axis, whatever is cut, where it is no shorter.
constexpr index_t long_strip = 64;

/// Returns the bytes of all operands for an element along `axis`.
index_t bytes_along(const index_vector& extents, std::size_t axis,
                    std::span<const block_operand> operands) {
  index_t bytes = 0;
  for (const block_operand& operand : operands) {
    if (operand.data == nullptr) continue;
    index_t smallest = 0;
    index_t count = 1;
    for (std::size_t k = axis + 1; k < extents.size(); ++k) {
      const index_t stride = std::abs(operand.strides[k]);
      if (stride == 0 || extents[k] == 1) continue;
      smallest = smallest == 0 ? stride : std::min(smallest, stride);
      count *= extents[k];
    }
    bytes += smallest * count;
  }
  return bytes;
}

void move_by(std::vector<std::byte*>& planes, const block_states& states, index_t offset) {
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    planes[plane] +=
        offset * states.cells * static_cast<index_t>(size_of(states.kernel->planes[plane]));
  }
}

}  // namespace

slabs::slabs(const index_vector& extents, std::span<const fold_walk> folds,
             std::span<const block_operand> operands) {
  while (axis + 1 < extents.size() && extents[axis] == 1) ++axis;
  if (axis < extents.size()) length = extent = extents[axis];
  if (axis + 1 >= extents.size()) return;
  const auto is_long = [&](const fold_walk& fold) {
    const bool is_nominal = !fold.reduced[extents.size() - 1] && !fold.nominal.empty();
    return (is_nominal ? fold.nominal.back() : extents.back()) >= long_strip;
  };
  if (!std::ranges::all_of(folds, is_long)) return;
  index_t inner = 1;
  for (std::size_t k = axis + 1; k < extents.size(); ++k) inner *= extents[k];
  // Where all of it is folded into one, strips may run on from row to row.
  index_t unit = 1;
  for (const fold_walk& fold : folds) {
    bool is_all = true;
    for (std::size_t k = axis; k < extents.size(); ++k) {
      is_all = is_all && (fold.reduced[k] || extents[k] == 1);
    }
    if (is_all) unit = max_strip / std::gcd(max_strip, inner);
  }
  const index_t bytes = std::max<index_t>(1, bytes_along(extents, axis, operands));
  const index_t wanted = std::max<index_t>(1, cached / bytes / unit) * unit;
  if (wanted < extent && wanted * bytes <= 2 * cached) length = wanted;
}

std::vector<block_operand> from(std::span<const block_operand> operands, std::size_t axis,
                                index_t start) {
  std::vector<block_operand> moved(operands.begin(), operands.end());
  for (block_operand& operand : moved) {
    const index_t offset = start * operand.strides[axis];
    if (operand.data == nullptr) {
      operand.first += offset;
    } else {
      operand.data += offset;
    }
  }
  return moved;
}

std::vector<strip_target> from(std::span<const strip_target> targets, std::size_t axis,
                               index_t start) {
  std::vector<strip_target> moved(targets.begin(), targets.end());
  for (strip_target& target : moved) target.to.data += start * target.to.strides[axis];
  return moved;
}

std::vector<block_states> states_in(std::span<const block_states> states, index_t start,
                                    index_t stop, index_t extent, index_t stride, index_t each) {
  std::vector<block_states> some(states.begin(), states.end());
  for (block_states& state : some) {
    if (stride > 0) {
      move_by(state.planes, state, start * stride);
      for (earlier_states& earlier : state.into) move_by(earlier.planes, state, start * stride);
      continue;
    }
    state.taken += start * each;
    state.are_new = state.are_new && start == 0;
    if (stop < extent) state.into.clear();
  }
  return some;
}

}  // namespace tessera
