// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/fold_states.hpp"

#include "tessera/core/strided_copy.hpp"

#include "core/api/itemsize.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

namespace {

index_vector multiply_strides(index_vector strides, index_t factor) {
  for (index_t& stride : strides) stride *= factor;
  return strides;
}

}  // namespace

index_t num_kept(const index_vector& extents, axis_set reduced) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (!reduced[axis]) count = checked_multiply(count, extents[axis]);
  }
  return count;
}

std::size_t first_reduced_axis(axis_set reduced) {
  std::size_t extra_axis = 0;
  while (extra_axis < max_rank && !reduced[extra_axis]) ++extra_axis;
  return extra_axis;
}

index_t product(const index_vector& lengths) {
  index_t count = 1;
  for (const index_t length : lengths) count = checked_multiply(count, length);
  return count;
}

index_t num_states(const index_vector& box, const fold_sink& fold) {
  return num_kept(box, fold.reduced) * (fold.is_labelled ? product(fold.extra_axes) : 1);
}

state_layout::state_layout(const index_vector& extents, const fold_sink& fold)
    : strides(extents.size()) {
  if (fold.is_labelled) {
    num_groups = product(fold.extra_axes);
  } else {
    state_length = product(fold.extra_axes);
  }
  const std::size_t extra_axis = first_reduced_axis(fold.reduced);
  index_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (!fold.reduced[axis]) {
      strides[axis] = stride;
      stride *= extents[axis];
    } else if (axis == extra_axis && fold.is_labelled) {
      group_stride = stride;
      stride *= num_groups;
    }
  }
}

output_layout::output_layout(const index_vector& box, const fold_sink& fold, bool are_states) {
  const state_layout layout(box, fold);
  bool has_extra_axes = false;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    if (!fold.reduced[axis]) {
      add(box[axis], layout.strides[axis] * layout.state_length);
      continue;
    }
    if (!std::exchange(has_extra_axes, true)) {
      const index_vector extra_strides = row_major_strides(fold.extra_axes);
      for (std::size_t i = 0; i < fold.extra_axes.size(); ++i) {
        add(fold.extra_axes[i], extra_strides[i] * (fold.is_labelled ? layout.group_stride : 1));
      }
    }
    if (are_states) add(1, 0);
  }
}

void copy_states(const block_states& states, std::span<const block_result> results,
                 const index_vector& extents, const index_vector& strides) {
  for (std::size_t field = 0; field < results.size(); ++field) {
    if (results[field].data == states.state_fields[field]) continue;
    const std::size_t itemsize = size_of(states.kernel->state_fields[field]);
    index_vector to = results[field].strides;
    for (index_t& stride : to) stride /= static_cast<index_t>(itemsize);
    detail::strided_copy(results[field].data, to, states.state_fields[field], strides, extents,
                         itemsize);
  }
}

void finish_states(const block_states& states, std::span<const block_result> results,
                   const output_layout& layout) {
  const fold_kernel& kernel = *states.kernel;
  const index_vector dense = row_major_strides(layout.extents);
  // Outputs and state fields are contiguous along their last axis, so results are written row by
  // row.
  bool is_dense = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    is_dense =
        is_dense && results[i].strides == multiply_strides(dense, itemsize_of(kernel.outputs[i]));
  }
  const index_t count = num_elements(layout.extents);
  const index_t row = is_dense || layout.extents.empty() ? count : layout.extents.back();
  std::vector<const std::byte*> state_fields(kernel.state_fields.size());
  std::vector<std::byte*> outputs(results.size());
  index_vector position(layout.extents.size());
  for (index_t first = 0; first < count; first += row) {
    for (std::size_t field = 0; field < state_fields.size(); ++field) {
      state_fields[field] =
          states.state_fields[field] + first * itemsize_of(kernel.state_fields[field]);
    }
    index_t remainder = first;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      position[axis] = remainder / dense[axis];
      remainder %= dense[axis];
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = results[i].data + offset_of(position, results[i].strides);
    }
    kernel.finish(state_fields.data(), outputs.data(), row, states.num_taken, states.parameters);
  }
}

void finish_vector_states(const block_states& states, std::span<const block_result> results,
                          std::span<std::byte* const> buffers, const index_vector& kept,
                          std::size_t extra_axis) {
  const fold_kernel& kernel = *states.kernel;
  const index_vector dense = row_major_strides(kept);
  const index_t row = kept.empty() ? 1 : kept.back();
  std::vector<const std::byte*> state_fields(kernel.state_fields.size());
  for (index_t first = 0; first < num_elements(kept);) {
    const index_t size = std::min(states_at_once, row - first % row);
    for (std::size_t field = 0; field < state_fields.size(); ++field) {
      state_fields[field] = states.state_fields[field] +
                            first * states.state_length * itemsize_of(kernel.state_fields[field]);
    }
    kernel.finish(state_fields.data(), buffers.data(), size, states.num_taken, states.parameters);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const index_vector& strides = results[i].strides;
      std::byte* to = results[i].data;
      index_t remainder = first;
      for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        to += remainder / dense[axis] * strides[axis < extra_axis ? axis : axis + 1];
        remainder %= dense[axis];
      }
      const index_t itemsize = itemsize_of(kernel.outputs[i]);
      const std::size_t last = kept.size() - (extra_axis < kept.size() ? 0 : 1);
      const index_t kept_stride = kept.empty() ? 0 : strides[last] / itemsize;
      const index_vector steps{kept_stride, strides[extra_axis] / itemsize};
      detail::strided_copy(to, steps, buffers[i], index_vector{states.state_length, 1},
                           index_vector{size, states.state_length},
                           static_cast<std::size_t>(itemsize));
    }
    first += size;
  }
}

}  // namespace tessera
