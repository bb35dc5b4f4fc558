// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/fold_states.hpp"

#include "tessera/core/strided_copy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

namespace {

index_t itemsize_of(dtype type) { return static_cast<index_t>(size_of(type)); }

index_vector scaled(index_vector strides, index_t factor) {
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

std::size_t place_of(axis_set reduced) {
  std::size_t place = 0;
  while (!reduced[place]) ++place;
  return place;
}

index_t product(const index_vector& lengths) {
  index_t count = 1;
  for (const index_t length : lengths) count = checked_multiply(count, length);
  return count;
}

index_t num_states(const index_vector& box, const fold_sink& fold) {
  return num_kept(box, fold.reduced) * (fold.is_labelled ? product(fold.own) : 1);
}

state_layout::state_layout(const index_vector& extents, const fold_sink& fold)
    : strides(extents.size()) {
  if (fold.is_labelled) {
    num_groups = product(fold.own);
  } else {
    cells = product(fold.own);
  }
  const std::size_t place = place_of(fold.reduced);
  index_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (!fold.reduced[axis]) {
      strides[axis] = stride;
      stride *= extents[axis];
    } else if (axis == place && fold.is_labelled) {
      group_stride = stride;
      stride *= num_groups;
    }
  }
}

made_extents::made_extents(const index_vector& box, const fold_sink& fold, bool with_blocks) {
  const state_layout layout(box, fold);
  bool are_own_there = false;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    if (!fold.reduced[axis]) {
      add(box[axis], layout.strides[axis] * layout.cells);
      continue;
    }
    if (!std::exchange(are_own_there, true)) {
      const index_vector inner = row_major_strides(fold.own);
      for (std::size_t i = 0; i < fold.own.size(); ++i) {
        add(fold.own[i], inner[i] * (fold.is_labelled ? layout.group_stride : 1));
      }
    }
    if (with_blocks) add(1, 0);
  }
}

void hand_on_states(const block_states& states, std::span<const block_result> results,
                    const index_vector& extents, const index_vector& strides) {
  for (std::size_t plane = 0; plane < results.size(); ++plane) {
    if (results[plane].data == states.planes[plane]) continue;
    const std::size_t itemsize = size_of(states.kernel->planes[plane]);
    index_vector to = results[plane].strides;
    for (index_t& stride : to) stride /= static_cast<index_t>(itemsize);
    detail::strided_copy(results[plane].data, to, states.planes[plane], strides, extents, itemsize);
  }
}

void finish_states(const block_states& states, std::span<const block_result> results,
                   const made_extents& made) {
  const fold_kernel& kernel = *states.kernel;
  const index_vector dense = row_major_strides(made.extents);
  // Outputs are contiguous along their last axis, and so are planes: row by row it is.
  bool is_dense = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    is_dense = is_dense && results[i].strides == scaled(dense, itemsize_of(kernel.outputs[i]));
  }
  const index_t count = num_elements(made.extents);
  const index_t row = is_dense || made.extents.empty() ? count : made.extents.back();
  std::vector<const std::byte*> planes(kernel.planes.size());
  std::vector<std::byte*> outputs(results.size());
  index_vector position(made.extents.size());
  for (index_t first = 0; first < count; first += row) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      planes[plane] = states.planes[plane] + first * itemsize_of(kernel.planes[plane]);
    }
    index_t rest = first;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      position[axis] = rest / dense[axis];
      rest %= dense[axis];
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = results[i].data + offset_of(position, results[i].strides);
    }
    kernel.finish(planes.data(), outputs.data(), row, states.taken, states.parameters);
  }
}

void finish_cells(const block_states& states, std::span<const block_result> results,
                  std::span<std::byte* const> room, const index_vector& kept, std::size_t place) {
  const fold_kernel& kernel = *states.kernel;
  const index_vector dense = row_major_strides(kept);
  const index_t row = kept.empty() ? 1 : kept.back();
  std::vector<const std::byte*> planes(kernel.planes.size());
  for (index_t first = 0; first < num_elements(kept);) {
    const index_t size = std::min(finished_at_once, row - first % row);
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      planes[plane] =
          states.planes[plane] + first * states.cells * itemsize_of(kernel.planes[plane]);
    }
    kernel.finish(planes.data(), room.data(), size, states.taken, states.parameters);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const index_vector& strides = results[i].strides;
      std::byte* to = results[i].data;
      index_t rest = first;
      for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        to += rest / dense[axis] * strides[axis < place ? axis : axis + 1];
        rest %= dense[axis];
      }
      const index_t itemsize = itemsize_of(kernel.outputs[i]);
      const std::size_t last = kept.size() - (place < kept.size() ? 0 : 1);
      const index_t along = kept.empty() ? 0 : strides[last] / itemsize;
      const index_vector steps{along, strides[place] / itemsize};
      detail::strided_copy(to, steps, room[i], index_vector{states.cells, 1},
                           index_vector{size, states.cells}, static_cast<std::size_t>(itemsize));
    }
    first += size;
  }
}

}  // namespace tessera
