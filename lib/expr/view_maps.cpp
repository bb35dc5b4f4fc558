// SPDX-License-Identifier: Apache-2.0
/// \file
/// The maps of views: for each axis of an array its index as an affine function of the indices of
/// the view.
///
/// `x(slice(8, 2, -3))` has the map i -> 8 - 3 i and the extent 2. An index list has no affine map:
/// a view with a list is a gather of all axes (`core/api/gather.hpp`).
#include "tessera/expr/view_maps.hpp"

#include "tessera/core/error.hpp"
#include "tessera/expr/layout.hpp"

#include "core/api/gather.hpp"
#include "expr/axis_masks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {
namespace {

std::string text(const index_vector& shape) { return format_shape(shape); }

/// The elements that a slice selects: `start`, `start + step`, ..., `count` of them.
struct selection {
  index_t start = 0;
  index_t step = 1;
  index_t count = 0;
};

/// Returns the elements of a slice, as `slice.indices` and `range.__len__` of Python define them.
selection select(const slice& s, index_t extent) {
  const index_t step = s.step.value_or(1);
  if (step == 0) {
    throw value_error("x(...): a slice has step 0; a step must be positive or negative");
  }
  const index_t low = step < 0 ? -1 : 0;
  const index_t high = step < 0 ? extent - 1 : extent;
  const auto bound = [&](const std::optional<index_t>& bound_index, index_t default_bound) {
    if (!bound_index) return default_bound;
    return std::clamp(*bound_index < 0 ? *bound_index + extent : *bound_index, low, high);
  };
  const index_t start = bound(s.start, step < 0 ? high : low);
  const index_t stop = bound(s.stop, step < 0 ? low : high);
  const index_t length = step < 0 ? start - stop : stop - start;
  // The magnitude is taken as unsigned: that of the least integer does not fit otherwise.
  const auto size =
      step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const auto count =
      length <= 0 ? index_t{0}
                  : static_cast<index_t>((static_cast<std::uint64_t>(length) - 1) / size) + 1;
  return {count == 0 ? 0 : start, count <= 1 ? 1 : step, count};
}

index_t checked_index(index_t index, std::size_t axis, const index_vector& shape) {
  const index_t extent = shape[axis];
  if (index < -extent || index >= extent) {
    throw shape_error(
        fmt::format("x(...): index {} is out of range for axis {} of an array of "
                    "shape {}; it must be in [{}, {})",
                    index, axis, text(shape), -extent, extent));
  }
  return index < 0 ? index + extent : index;
}

/// The extents of an array and of its chunks.
struct array_in_chunks {
  const index_vector& shape;
  const index_vector& chunks;
};

/// Returns the elements of the chunks that `index` selects along an axis.
slice elements_of_chunks(const any_index& index, std::size_t axis, const index_vector& grid,
                         const array_in_chunks& x) {
  // The last chunk may reach beyond the greatest index, so that its end is the array's.
  const auto start_of = [&](index_t number) {
    return number < grid[axis] ? number * x.chunks[axis] : x.shape[axis];
  };
  if (const auto* number = std::get_if<index_t>(&index)) {
    if (*number < -grid[axis] || *number >= grid[axis]) {
      throw shape_error(fmt::format(
          "x.blocks(...): index {} is out of range for axis {} of an array of {} chunks; it must "
          "be in [{}, {})",
          *number, axis, text(grid), -grid[axis], grid[axis]));
    }
    const index_t first = *number < 0 ? *number + grid[axis] : *number;
    return {start_of(first), start_of(first + 1)};
  }
  const auto* chunk_slice = std::get_if<slice>(&index);
  if (chunk_slice == nullptr) return {none, none};
  if (chunk_slice->step.value_or(1) != 1) {
    throw value_error(fmt::format(
        "x.blocks(...): the slice of axis {} has step {}; chunks are selected in steps of 1", axis,
        *chunk_slice->step));
  }
  const selection selected = select(*chunk_slice, grid[axis]);
  return {start_of(selected.start), start_of(selected.start + selected.count)};
}

/// Builds the map and the shape of a view, index by index.
class indexer {
 public:
  explicit indexer(const index_vector& shape) : shape_(shape), axes_(shape.size()) {}

  void add_index(index_t index) {
    axes_[next_].offset = checked_index(index, next_, shape_);
    ++next_;
  }
  void add_index(const slice& s) {
    const selection selected = select(s, shape_[next_]);
    factors_.push_back({{selected.count}, {selected.count}});
    add_axis({result_.size(), selected.start, selected.step}, selected.count);
  }
  void add_index(whole_t) { add_index(slice(none)); }
  void add_index(const index_list& list) {
    const index_t extent = shape_[next_];
    if (list.mask_length().value_or(extent) != extent) {
      throw shape_error(fmt::format(
          "x(...): a mask of {} elements for axis {} of an array of shape {}; it must have {}",
          *list.mask_length(), next_, text(shape_), extent));
    }
    std::vector<index_t> values = list.values();
    for (index_t& value : values) value = checked_index(value, next_, shape_);
    factors_.push_back({{static_cast<index_t>(values.size())},
                        {extent},
                        std::make_shared<const index_table>(std::move(values))});
    has_lists_ = true;
    add_axis({result_.size(), 0, 1}, extent);
  }
  void add_index(newaxis_t) {
    factors_.push_back({{1}, {1}});
    result_.push_back(1);
  }
  void take_whole(std::size_t count) {
    while (count-- > 0) add_index(whole);
  }
  void take_rest() { take_whole(shape_.size() - next_); }
  mapped_shape finish() && {
    index_map map{result_.size(), std::move(axes_)};
    if (!has_lists_) return {std::move(map), result_};
    auto index_gather = std::make_shared<const gather>(std::move(factors_), std::move(map));
    const index_vector shape = index_gather->domain();
    return {{shape.size(), index_map::identity(shape.size()).axes(), std::move(index_gather)},
            shape};
  }

 private:
  void add_axis(const axis_map& map, index_t extent) {
    axes_[next_++] = map;
    result_.push_back(extent);
  }

  const index_vector& shape_;
  std::vector<axis_map> axes_;
  index_vector result_;
  std::size_t next_ = 0;
  /// The factors of a gather of the result, used if there is an index list.
  std::vector<gathered_axes> factors_;
  bool has_lists_ = false;
};

}  // namespace

mapped_shape map_added_axes(const index_vector& shape, axis_mask added, std::size_t rank) {
  std::vector<axis_map> axes;
  index_vector result;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (has_axis(added, axis)) {
      result.push_back(1);
    } else {
      result.push_back(shape[axes.size()]);
      axes.push_back({axis, 0, 1});
    }
  }
  return {{rank, std::move(axes)}, result};
}

mapped_shape map_squeezed(const index_vector& shape, axis_mask removed) {
  std::vector<axis_map> axes(shape.size());
  index_vector result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!has_axis(removed, axis)) {
      axes[axis] = {result.size(), 0, 1};
      result.push_back(shape[axis]);
    } else if (shape[axis] != 1) {
      throw shape_error(
          fmt::format("squeeze: axis {} of an array of shape {} has extent {}; only "
                      "axes of extent 1 can be removed",
                      axis, text(shape), shape[axis]));
    }
  }
  return {{result.size(), std::move(axes)}, result};
}

mapped_shape map_permuted(const index_vector& shape, std::span<const std::size_t> order) {
  std::vector<axis_map> axes(shape.size());
  index_vector result;
  for (std::size_t axis = 0; axis < order.size(); ++axis) {
    axes[order[axis]] = {axis, 0, 1};
    result.push_back(shape[order[axis]]);
  }
  return {{order.size(), std::move(axes)}, result};
}

mapped_shape map_flipped(const index_vector& shape, axis_mask flipped) {
  std::vector<axis_map> axes(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    axes[axis] = has_axis(flipped, axis) && shape[axis] > 0 ? axis_map{axis, shape[axis] - 1, -1}
                                                            : axis_map{axis, 0, 1};
  }
  return {{shape.size(), std::move(axes)}, shape};
}

mapped_shape map_broadcast(const index_vector& shape, const index_vector& to) {
  if (shape.size() > to.size() || broadcast_shapes("broadcast_to", shape, to) != to) {
    throw shape_error(
        fmt::format("broadcast_to: an array of shape {} cannot become {}; each "
                    "extent must stay as it is or grow from 1",
                    text(shape), text(to)));
  }
  require_countable("broadcast_to", to);
  return {broadcast_map(shape, to), to};
}

mapped_shape map_windows(const index_vector& shape, std::span<const std::size_t> axes,
                         std::span<const index_t> lengths) {
  const std::size_t rank = shape.size() + axes.size();
  std::vector<axis_map> maps = index_map::identity(shape.size()).axes();
  index_vector result = shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axes[i];
    if (lengths[i] < 1 || lengths[i] > shape[axis]) {
      throw shape_error(fmt::format(
          "sliding_window_view: a window of {} along axis {} of an array of shape {}; it must have "
          "at least 1 element and at most the {} of the axis",
          lengths[i], axis, text(shape), shape[axis]));
    }
    maps[axis].add({shape.size() + i, 1});
    result[axis] -= lengths[i] - 1;
    result.push_back(lengths[i]);
  }
  require_countable("sliding_window_view", result);
  return {{rank, std::move(maps)}, result};
}

mapped_shape map_blocks(std::string_view function, const index_vector& shape,
                        std::span<const index_t> lengths) {
  std::vector<axis_map> maps;
  index_vector result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const index_t length = lengths[axis];
    if (length < 1 || shape[axis] % length != 0) {
      const index_t remainder = length < 1 ? 0 : shape[axis] % length;
      throw shape_error(
          length < 1
              ? fmt::format("{}: blocks of {} along axis {}; they must have at least 1 element",
                            function, length, axis)
              : fmt::format("{}: blocks of {} do not divide axis {} of an array of shape {}; leave "
                            "its last {} out with a slice, slice(0, {}), or choose another length",
                            function, length, axis, text(shape), remainder,
                            shape[axis] - remainder));
    }
    axis_map split(2 * axis, 0, length);
    split.add({2 * axis + 1, 1});
    maps.push_back(split);
    result.push_back(shape[axis] / length);
    result.push_back(length);
  }
  return {{result.size(), std::move(maps)}, result};
}

mapped_shape map_diagonal(const index_vector& shape, std::size_t first, std::size_t second,
                          index_t offset) {
  const std::size_t last = shape.size() - 2;
  const index_t skipped_first =
      offset < 0 ? std::min(shape[first], 0 - std::max(offset, -shape[first])) : 0;
  const index_t skipped_second = offset > 0 ? std::min(shape[second], offset) : 0;
  const index_t length = std::min(shape[first] - skipped_first, shape[second] - skipped_second);
  std::vector<axis_map> maps;
  index_vector result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis == first) {
      maps.emplace_back(last, length == 0 ? 0 : skipped_first, 1);
    } else if (axis == second) {
      maps.emplace_back(last, length == 0 ? 0 : skipped_second, 1);
    } else {
      maps.emplace_back(result.size(), 0, 1);
      result.push_back(shape[axis]);
    }
  }
  result.push_back(length);
  return {{result.size(), std::move(maps)}, result};
}

mapped_shape map_indexed(const index_vector& shape, std::span<const any_index> indices) {
  std::size_t num_indexed = 0;
  for (const any_index& index : indices) {
    num_indexed +=
        std::holds_alternative<newaxis_t>(index) || std::holds_alternative<ellipsis_t>(index) ? 0U
                                                                                              : 1U;
  }
  indexer result(shape);
  for (const any_index& index : indices) {
    if (std::holds_alternative<ellipsis_t>(index)) {
      result.take_whole(shape.size() - num_indexed);
      continue;
    }
    std::visit(
        [&]<class I>(const I& i) {
          if constexpr (!std::is_same_v<I, ellipsis_t>) result.add_index(i);
        },
        index);
  }
  // Axes behind the last index are whole.
  result.take_rest();
  return std::move(result).finish();
}

mapped_shape map_slice(const index_vector& shape, std::size_t axis, const slice& part) {
  std::vector<any_index> indices(axis, whole);
  indices.emplace_back(part);
  return map_indexed(shape, indices);
}

mapped_shape map_index(const index_vector& shape, std::size_t axis, index_t index) {
  std::vector<any_index> indices(axis, whole);
  indices.emplace_back(index);
  return map_indexed(shape, indices);
}

mapped_shape map_blocks(const index_vector& shape, const index_vector& chunks,
                        std::span<const any_index> indices) {
  index_vector grid(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    grid[axis] = ceil_divide(shape[axis], chunks[axis]);
  }
  std::vector<any_index> elements;
  for (const any_index& index : indices) {
    if (std::holds_alternative<ellipsis_t>(index)) {
      elements.resize(elements.size() + shape.size() + 1 - indices.size(), whole);
    } else {
      elements.emplace_back(elements_of_chunks(index, elements.size(), grid, {shape, chunks}));
    }
  }
  return map_indexed(shape, elements);
}

}  // namespace tessera
