// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/gather_maps.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"

#include "core/api/gather.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// Returns the map from the shape that a gather shows to the array.
index_map map_of_gather(std::vector<gathered_axes> factors, index_map read_map) {
  auto index_gather = std::make_shared<const gather>(std::move(factors), std::move(read_map));
  const std::size_t rank = index_gather->domain().size();
  return {rank, index_map::identity(rank).axes(), std::move(index_gather)};
}

mapped_shape view_of_gather(std::vector<gathered_axes> factors, index_map read_map) {
  index_map map = map_of_gather(std::move(factors), std::move(read_map));
  index_vector shape = map.gather()->domain();
  return {std::move(map), shape};
}

gathered_axes plain_axis(index_t extent) { return {{extent}, {extent}}; }

/// Returns `list` with negative indices counted from the end of `extent` elements. `subject` names
/// these in errors.
std::vector<index_t> wrap_indices(std::string_view function, std::vector<index_t> list,
                                  index_t extent, const std::string& subject) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < -extent || list[i] >= extent) {
      throw shape_error(
          fmt::format("{}: index {}, number {} of the list, is out of range for {}; "
                      "it must be in [{}, {})",
                      function, list[i], i, subject, -extent, extent));
    }
    if (list[i] < 0) list[i] += extent;
  }
  return list;
}

std::string describe_axis(std::size_t axis, const index_vector& shape) {
  return fmt::format("axis {} of an array of shape {}", axis, format_shape(shape));
}

std::shared_ptr<const index_table> make_table(std::vector<index_t> list) {
  return std::make_shared<const index_table>(std::move(list));
}

/// Numbers of axes of two shapes: the axes before them have equal element counts.
struct boundary_pair {
  std::size_t source = 0;
  std::size_t target = 0;
};

/// Returns the common boundaries of two shapes with one positive element count.
///
///     (4, 6, 5) and (2, 2, 30):   4 = 2 * 2    6 * 5 = 30     boundaries (1, 2) and (3, 3)
///
/// Between two boundaries a reshape is a factor of its own, so few axes are numbered as one.
std::vector<boundary_pair> common_boundaries(const index_vector& source,
                                             const index_vector& target) {
  std::vector<boundary_pair> pairs;
  boundary_pair current;
  index_t num_from = 1;
  index_t num_to = 1;
  while (current.source < source.size() || current.target < target.size()) {
    const bool advances_source =
        current.target == target.size() || (num_from <= num_to && current.source < source.size());
    if (advances_source) {
      num_from *= source[current.source++];
    } else {
      num_to *= target[current.target++];
    }
    if (num_from == num_to && current.source > (pairs.empty() ? 0 : pairs.back().source)) {
      pairs.push_back(current);
    }
  }
  // Axes of extent 1 behind the last boundary belong to it.
  if (pairs.empty()) pairs.push_back(current);
  pairs.back() = current;
  return pairs;
}

index_vector slice_axes(const index_vector& extents, std::size_t start, std::size_t stop) {
  return {extents.begin() + start, extents.begin() + stop};
}

std::size_t count_long_axes(const index_vector& extents) {
  return static_cast<std::size_t>(
      std::count_if(extents.begin(), extents.end(), [](index_t extent) { return extent != 1; }));
}

/// Tells whether a factor only splits the axis that it reads, so that an affine map suffices.
bool is_split(const gathered_axes& factor) {
  return count_long_axes(factor.read) <= 1 && count_long_axes(factor.domain) <= axis_map::max_terms;
}

/// Returns the affine map of factors that only split axes.
index_map split_map(const std::vector<gathered_axes>& factors, std::size_t rank) {
  std::vector<axis_map> axes;
  std::size_t first = 0;
  for (const gathered_axes& factor : factors) {
    const index_vector strides = row_major_strides(factor.domain);
    for (const index_t extent : factor.read) {
      axis_map& m = axes.emplace_back(0);
      if (extent == 1) continue;
      for (std::size_t i = 0; i < factor.domain.size(); ++i) {
        if (factor.domain[i] != 1) m.add({first + i, strides[i]});
      }
    }
    first += factor.domain.size();
  }
  return {rank, std::move(axes)};
}

/// Returns the most elements of a chunk along some axes, given `stride_elements` along the rest.
index_t max_chunk_elements(const array_layout& layout, double stride_elements) {
  const spec limits = layout.spec ? *layout.spec : default_spec();
  const std::uint64_t most =
      std::min<std::uint64_t>(automatic_chunk_bytes, limits.allowed_memory.count() / 10) / 8;
  return static_cast<index_t>(static_cast<double>(most) / std::max(stride_elements, 1.0));
}

/// Returns the chunk of the array along axis `read` of a gather, or 0 if no axis of the array
/// belongs to it.
index_t chunk_of_read_axis(const array_layout& layout, const index_map& read_map,
                           std::size_t read) {
  index_t chunk = 0;
  for (std::size_t axis = 0; axis < read_map.axes().size(); ++axis) {
    const axis_term* const term = read_map[axis].only_term();
    if (term == nullptr || term->axis != read) continue;
    const index_t size = term->step < 0 ? -term->step : term->step;
    const index_t candidate = ceil_divide(layout.chunks[axis], size);
    chunk = chunk == 0 ? candidate : std::min(chunk, candidate);
  }
  return chunk;
}

/// Returns the number of elements of a row of `chunks` of an array of `extents`, in row-major
/// order; the elements of one chunk if a row has more than `most`.
index_t consecutive_elements(const index_vector& extents, const index_vector& chunks,
                             index_t most) {
  std::size_t first = 0;
  while (first + 1 < extents.size() && chunks[first] == 1) ++first;
  index_t in_row = 1;
  index_t in_chunk = 1;
  for (std::size_t axis = first; axis < extents.size(); ++axis) {
    const index_t length = axis == first ? chunks[axis] : extents[axis];
    if (__builtin_mul_overflow(in_row, length, &in_row)) in_row = most + 1;
    if (__builtin_mul_overflow(in_chunk, chunks[axis], &in_chunk)) in_chunk = most;
  }
  return in_row <= most ? in_row : std::max<index_t>(1, in_chunk);
}

/// Appends the longest block in `extents` of at most `count` consecutive elements.
void append_block(index_vector& chunks, const index_vector& extents, index_t count) {
  index_vector block(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 0 && count > 0;) {
    const index_t extent = std::max<index_t>(1, extents[axis]);
    block[axis] = std::min(extent, count);
    count = count >= extent ? count / extent : 0;
  }
  for (const index_t length : block) chunks.push_back(length);
}

}  // namespace

index_vector resolved_shape(std::string_view function, const index_vector& shape,
                            const index_vector& extents) {
  const index_t count = num_elements(shape);
  index_vector resolved = extents;
  std::optional<std::size_t> inferred_axis;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] >= 0) continue;
    if (extents[axis] < -1 || inferred_axis) {
      throw shape_error(fmt::format(
          "{}: an array of shape {} is asked for in the shape {}; one extent may be -1, which is "
          "found from the others, and none may be less",
          function, format_shape(shape), format_shape(extents)));
    }
    inferred_axis = axis;
    resolved[axis] = 1;
  }
  require_countable(function, resolved);
  const index_t rest_count = num_elements(resolved);
  if (inferred_axis && rest_count > 0 && count % rest_count == 0) {
    resolved[*inferred_axis] = count / rest_count;
  }
  if (num_elements(resolved) != count || (inferred_axis && rest_count == 0)) {
    throw shape_error(
        fmt::format("{}: an array of shape {} has {} elements, which do not make one of shape {}",
                    function, format_shape(shape), count, format_shape(extents)));
  }
  return resolved;
}

mapped_shape map_reshaped(const index_vector& shape, const index_vector& target_shape) {
  std::vector<gathered_axes> factors;
  if (num_elements(shape) == 0) {
    factors.push_back({target_shape, shape});
  } else {
    boundary_pair previous;
    for (const boundary_pair& current : common_boundaries(shape, target_shape)) {
      factors.push_back({slice_axes(target_shape, previous.target, current.target),
                         slice_axes(shape, previous.source, current.source)});
      previous = current;
    }
    if (std::all_of(factors.begin(), factors.end(), is_split))
      return {split_map(factors, target_shape.size()), target_shape};
  }
  return view_of_gather(std::move(factors), index_map::identity(shape.size()));
}

mapped_shape map_taken(std::string_view function, const index_vector& shape,
                       std::optional<std::size_t> axis, std::vector<index_t> list,
                       const index_vector& list_shape) {
  std::vector<gathered_axes> factors;
  if (!axis) {
    const std::string subject =
        fmt::format("the elements of an array of shape {}", format_shape(shape));
    list = wrap_indices(function, std::move(list), num_elements(shape), subject);
    factors.push_back({list_shape, shape, make_table(std::move(list))});
  } else {
    list = wrap_indices(function, std::move(list), shape[*axis], describe_axis(*axis, shape));
    for (std::size_t k = 0; k < shape.size(); ++k) factors.push_back(plain_axis(shape[k]));
    factors[*axis] = {list_shape, {shape[*axis]}, make_table(std::move(list))};
  }
  mapped_shape result = view_of_gather(std::move(factors), index_map::identity(shape.size()));
  require_countable(function, result.shape);
  return result;
}

mapped_shape map_taken_along(const index_vector& shape, std::size_t axis, std::vector<index_t> list,
                             const index_vector& list_shape) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k == axis || shape[k] == list_shape[k]) continue;
    throw shape_error(fmt::format(
        "take_along_axis: an array of shape {} and indices of shape {}; extents must be equal on "
        "every axis but axis {}, along which the indices are",
        format_shape(shape), format_shape(list_shape), axis));
  }
  list = wrap_indices("take_along_axis", std::move(list), shape[axis], describe_axis(axis, shape));
  const index_vector strides = row_major_strides(shape);
  index_vector position(list_shape.size());
  for (index_t& index : list) {
    const index_t saved_index = position[axis];
    position[axis] = index;
    index = offset_of(position, strides);
    position[axis] = saved_index;
    static_cast<void>(next_position(position, list_shape));
  }
  return view_of_gather({{list_shape, shape, make_table(std::move(list))}},
                        index_map::identity(shape.size()));
}

mapped_shape map_points(std::string_view function, const index_vector& shape,
                        std::span<const std::vector<index_t>> lists,
                        const index_vector& list_shape) {
  const index_vector strides = row_major_strides(shape);
  std::vector<index_t> numbers(lists.empty() ? 1 : lists.front().size(), 0);
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    if (lists[axis].size() != numbers.size()) {
      throw shape_error(fmt::format(
          "{}: axis 0 has a list of {} indices and axis {} one of {}; a point has one of each",
          function, numbers.size(), axis, lists[axis].size()));
    }
    const std::vector<index_t> list =
        wrap_indices(function, lists[axis], shape[axis], describe_axis(axis, shape));
    for (std::size_t i = 0; i < list.size(); ++i) numbers[i] += list[i] * strides[axis];
  }
  return view_of_gather({{list_shape, shape, make_table(std::move(numbers))}},
                        index_map::identity(shape.size()));
}

namespace {

index_t checked_count(std::string_view function, index_t count) {
  if (count >= 0) return count;
  throw shape_error(fmt::format("{}: an element is asked for {} times; a count must be at least 0",
                                function, count));
}

}  // namespace

mapped_shape map_tiled(const index_vector& shape, const index_vector& counts) {
  std::vector<gathered_axes> factors;
  std::vector<axis_map> read_map;
  std::size_t read = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const index_t count = checked_count("tile", counts[axis]);
    if (count == 1) {
      factors.push_back(plain_axis(shape[axis]));
    } else {
      factors.push_back({{checked_multiply(count, shape[axis])}, {count, shape[axis]}});
      ++read;
    }
    read_map.emplace_back(read++, 0, 1);
  }
  mapped_shape result = view_of_gather(std::move(factors), {read, std::move(read_map)});
  require_countable("tile", result.shape);
  return result;
}

mapped_shape map_repeated(const index_vector& shape, std::optional<std::size_t> axis,
                          index_t count) {
  std::vector<gathered_axes> factors;
  std::vector<axis_map> read_map;
  std::size_t read = 0;
  checked_count("repeat", count);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    factors.push_back(plain_axis(shape[k]));
    read_map.emplace_back(read++, 0, 1);
    if (axis != k) continue;
    factors.back() = {{checked_multiply(shape[k], count)}, {shape[k], count}};
    ++read;
  }
  if (!axis) {
    index_vector all_extents = shape;
    all_extents.push_back(count);
    factors = {{{checked_multiply(num_elements(shape), count)}, all_extents}};
    ++read;
  }
  mapped_shape result = view_of_gather(std::move(factors), {read, std::move(read_map)});
  require_countable("repeat", result.shape);
  return result;
}

mapped_shape map_repeated(const index_vector& shape, std::size_t axis,
                          const std::vector<index_t>& counts) {
  if (static_cast<index_t>(counts.size()) != shape[axis]) {
    throw shape_error(fmt::format("repeat: {} counts for {}; there must be one for each element",
                                  counts.size(), describe_axis(axis, shape)));
  }
  std::vector<index_t> list;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const index_t count = checked_count("repeat", counts[i]);
    list.insert(list.end(), static_cast<std::size_t>(count), static_cast<index_t>(i));
  }
  const index_vector list_shape{static_cast<index_t>(list.size())};
  return map_taken("repeat", shape, axis, std::move(list), list_shape);
}

array_layout gathered_layout(const array_layout& layout, const index_map& map,
                             const index_vector& shape) {
  const gather& index_gather = *map.gather();
  array_layout result{shape, {}, layout.spec, layout.is_automatic};
  std::vector<std::string> names;
  std::size_t read = 0;
  double chunk_elements = 1;
  for (const index_t chunk : layout.chunks) chunk_elements *= static_cast<double>(chunk);
  for (const gathered_axes& factor : index_gather.factors()) {
    double elements_across = chunk_elements;
    index_vector chunks;
    for (std::size_t axis = 0; axis < factor.read.size(); ++axis) {
      const index_t chunk = chunk_of_read_axis(layout, index_gather.into(), read + axis);
      chunks.push_back(chunk == 0 ? std::max<index_t>(1, factor.read[axis]) : chunk);
      elements_across /= static_cast<double>(std::max<index_t>(1, chunk));
    }
    const bool is_one_axis = factor.domain.size() == 1 && factor.read.size() == 1;
    const index_t most = factor.table != nullptr ? 0 : max_chunk_elements(layout, elements_across);
    append_block(result.chunks, factor.domain, consecutive_elements(factor.read, chunks, most));
    for (std::size_t axis = 0; axis < factor.domain.size(); ++axis) names.emplace_back();
    for (std::size_t axis = 0; is_one_axis && axis < index_gather.into().axes().size(); ++axis) {
      const axis_term* const term = index_gather.into()[axis].only_term();
      const bool is_this_axis = term != nullptr && term->axis == read;
      if (is_this_axis && layout.shape[axis] == factor.domain[0]) names.back() = layout.names[axis];
    }
    read += factor.read.size();
  }
  if (!layout.names.empty()) result.names = axis_names(std::move(names));
  result.chunks = clip_chunks(result.chunks, shape);
  return result;
}

}  // namespace tessera
