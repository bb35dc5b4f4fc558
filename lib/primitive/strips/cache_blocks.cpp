// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/cache_blocks.hpp"

#include "tessera/kernel/kernel.hpp"

#include "core/api/cache_sizes.hpp"
#include "core/api/itemsize.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tessera {

namespace {

/// The bytes of operands that stay in the second-level cache.
constexpr index_t cache_bytes = second_level_cache / 4;

/// The least length of the last axis with which strips run along it, however a step is cut.
constexpr index_t long_strip = 64;

/// Returns the bytes of all operands in a slice of one element along `axis`.
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

void offset_fields(std::vector<std::byte*>& state_fields, const block_states& states,
                   index_t offset) {
  for (std::size_t field = 0; field < state_fields.size(); ++field) {
    state_fields[field] +=
        offset * states.state_length * itemsize_of(states.kernel->state_fields[field]);
  }
}

}  // namespace

cache_blocks::cache_blocks(const index_vector& extents, std::span<const fold_loops> folds,
                           std::span<const block_operand> operands) {
  while (axis + 1 < extents.size() && extents[axis] == 1) ++axis;
  if (axis < extents.size()) length = extent = extents[axis];
  if (axis + 1 >= extents.size()) return;
  const auto is_long = [&](const fold_loops& fold) {
    const bool has_reference = !fold.reduced[extents.size() - 1] && !fold.reference_step.empty();
    return (has_reference ? fold.reference_step.back() : extents.back()) >= long_strip;
  };
  if (!std::ranges::all_of(folds, is_long)) return;
  index_t inner = 1;
  for (std::size_t k = axis + 1; k < extents.size(); ++k) inner *= extents[k];
  // A fold into a single state has strips that continue over rows: slices are multiples of these.
  index_t unit = 1;
  for (const fold_loops& fold : folds) {
    bool is_single_state = true;
    for (std::size_t k = axis; k < extents.size(); ++k) {
      is_single_state = is_single_state && (fold.reduced[k] || extents[k] == 1);
    }
    if (is_single_state) unit = max_strip / std::gcd(max_strip, inner);
  }
  const index_t bytes = std::max<index_t>(1, bytes_along(extents, axis, operands));
  const index_t slice = std::max<index_t>(1, cache_bytes / bytes / unit) * unit;
  if (slice < extent && slice * bytes <= 2 * cache_bytes) length = slice;
}

std::vector<block_operand> offset_by(std::span<const block_operand> operands, std::size_t axis,
                                     index_t start) {
  std::vector<block_operand> result(operands.begin(), operands.end());
  for (block_operand& operand : result) {
    const index_t offset = start * operand.strides[axis];
    if (operand.data == nullptr) {
      operand.first += offset;
    } else {
      operand.data += offset;
    }
  }
  return result;
}

std::vector<strip_target> offset_by(std::span<const strip_target> targets, std::size_t axis,
                                    index_t start) {
  std::vector<strip_target> result(targets.begin(), targets.end());
  for (strip_target& target : result) target.to.data += start * target.to.strides[axis];
  return result;
}

std::vector<block_states> select_states(std::span<const block_states> states, index_t start,
                                        index_t stop, index_t extent, index_t stride,
                                        index_t per_element) {
  std::vector<block_states> result(states.begin(), states.end());
  for (block_states& state : result) {
    if (stride > 0) {
      offset_fields(state.state_fields, state, start * stride);
      for (earlier_states& earlier : state.into) {
        offset_fields(earlier.state_fields, state, start * stride);
      }
      continue;
    }
    state.num_taken += start * per_element;
    state.are_new = state.are_new && start == 0;
    if (stop < extent) state.into.clear();
  }
  return result;
}

}  // namespace tessera
