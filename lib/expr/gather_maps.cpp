// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/gather_maps.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/gather.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// Returns the map to all that a gather shows.
index_map all_of(std::vector<gathered_axes> factors, index_map into) {
  auto behind = std::make_shared<const gather>(std::move(factors), std::move(into));
  const std::size_t rank = behind->seen().size();
  return {rank, index_map::identity(rank).axes(), std::move(behind)};
}

mapped_shape shown(std::vector<gathered_axes> factors, index_map into) {
  index_map map = all_of(std::move(factors), std::move(into));
  index_vector shape = map.behind()->seen();
  return {std::move(map), shape};
}

gathered_axes plain(index_t extent) { return {{extent}, {extent}}; }

/// Returns indices counted from the first, of `extent` in a row that errors call `what`.
std::vector<index_t> from_first(std::string_view function, std::vector<index_t> list,
                                index_t extent, const std::string& what) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < -extent || list[i] >= extent) {
      throw shape_error(
          fmt::format("{}: index {}, number {} of the list, is out of range for {}; "
                      "it must be in [{}, {})",
                      function, list[i], i, what, -extent, extent));
    }
    if (list[i] < 0) list[i] += extent;
  }
  return list;
}

std::string axis_of(std::size_t axis, const index_vector& shape) {
  return fmt::format("axis {} of an array of shape {}", axis, format_shape(shape));
}

std::shared_ptr<const index_table> table_of(std::vector<index_t> list) {
  return std::make_shared<const index_table>(std::move(list));
}

/// Axes of two shapes with as many elements, where they agree again: from those of the last pair to
/// before these.
struct agreement {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Returns where two shapes of as many elements, of which there are some, agree.
std::vector<agreement> agreements(const index_vector& from, const index_vector& to) {
  std::vector<agreement> found;
  agreement at;
  index_t num_from = 1;
  index_t num_to = 1;
  while (at.from < from.size() || at.to < to.size()) {
    const bool takes_from = at.to == to.size() || (num_from <= num_to && at.from < from.size());
    if (takes_from) {
      num_from *= from[at.from++];
    } else {
      num_to *= to[at.to++];
    }
    if (num_from == num_to && at.from > (found.empty() ? 0 : found.back().from)) {
      found.push_back(at);
    }
  }
  // Axes of extent 1 behind the last.
  if (found.empty()) found.push_back(at);
  found.back() = at;
  return found;
}

index_vector factor_of(const index_vector& all, std::size_t start, std::size_t stop) {
  return {all.begin() + start, all.begin() + stop};
}

std::size_t num_long(const index_vector& extents) {
  return static_cast<std::size_t>(
      std::count_if(extents.begin(), extents.end(), [](index_t extent) { return extent != 1; }));
}

/// Tells whether a factor sees the axis that it reads split, so that an affine map does.
bool is_split(const gathered_axes& factor) {
  return num_long(factor.read) <= 1 && num_long(factor.seen) <= axis_map::max_terms;
}

/// Returns the affine map of factors that are split.
index_map split_map(const std::vector<gathered_axes>& factors, std::size_t rank) {
  std::vector<axis_map> axes;
  std::size_t first = 0;
  for (const gathered_axes& factor : factors) {
    const index_vector strides = row_major_strides(factor.seen);
    for (const index_t extent : factor.read) {
      axis_map& m = axes.emplace_back(0);
      if (extent == 1) continue;
      for (std::size_t i = 0; i < factor.seen.size(); ++i) {
        if (factor.seen[i] != 1) m.add({first + i, strides[i]});
      }
    }
    first += factor.seen.size();
  }
  return {rank, std::move(axes)};
}

/// Returns the most elements of a chunk, of which each stands for as many as lie `across`.
index_t most_elements(const array_layout& of, double across) {
  const spec limits = of.spec ? *of.spec : default_spec();
  const std::uint64_t most =
      std::min<std::uint64_t>(automatic_chunk_bytes, limits.allowed_memory.count() / 10) / 8;
  return static_cast<index_t>(static_cast<double>(most) / std::max(across, 1.0));
}

/// Returns the chunk of the array along an axis that a gather reads; 0 where it leads nowhere.
index_t chunk_behind(const array_layout& of, const index_map& into, std::size_t read) {
  index_t chunk = 0;
  for (std::size_t axis = 0; axis < into.axes().size(); ++axis) {
    const axis_term* const term = into[axis].only_term();
    if (term == nullptr || term->axis != read) continue;
    const index_t size = term->step < 0 ? -term->step : term->step;
    const index_t seen = ceil_divide(of.chunks[axis], size);
    chunk = chunk == 0 ? seen : std::min(chunk, seen);
  }
  return chunk;
}

/// Returns how many elements that follow each other fill a row of `chunks` of an array of `extents`
/// where that is at most `most`, else one chunk.
index_t elements_in_order(const index_vector& extents, const index_vector& chunks, index_t most) {
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

/// Appends the longest block of `extents` of at most `count` elements that follow each other.
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
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] >= 0) continue;
    if (extents[axis] < -1 || open) {
      throw shape_error(fmt::format(
          "{}: an array of shape {} is asked for in the shape {}; one extent may be -1, which is "
          "found from the others, and none may be less",
          function, format_shape(shape), format_shape(extents)));
    }
    open = axis;
    resolved[axis] = 1;
  }
  require_countable(function, resolved);
  const index_t others = num_elements(resolved);
  if (open && others > 0 && count % others == 0) resolved[*open] = count / others;
  if (num_elements(resolved) != count || (open && others == 0)) {
    throw shape_error(
        fmt::format("{}: an array of shape {} has {} elements, which do not make one of shape {}",
                    function, format_shape(shape), count, format_shape(extents)));
  }
  return resolved;
}

mapped_shape map_reshaped(const index_vector& shape, const index_vector& to) {
  std::vector<gathered_axes> factors;
  if (num_elements(shape) == 0) {
    factors.push_back({to, shape});
  } else {
    agreement before;
    for (const agreement& at : agreements(shape, to)) {
      factors.push_back({factor_of(to, before.to, at.to), factor_of(shape, before.from, at.from)});
      before = at;
    }
    if (std::all_of(factors.begin(), factors.end(), is_split))
      return {split_map(factors, to.size()), to};
  }
  return shown(std::move(factors), index_map::identity(shape.size()));
}

mapped_shape map_taken(std::string_view function, const index_vector& shape,
                       std::optional<std::size_t> axis, std::vector<index_t> list,
                       const index_vector& of_list) {
  std::vector<gathered_axes> factors;
  if (!axis) {
    const std::string what =
        fmt::format("the elements of an array of shape {}", format_shape(shape));
    list = from_first(function, std::move(list), num_elements(shape), what);
    factors.push_back({of_list, shape, table_of(std::move(list))});
  } else {
    list = from_first(function, std::move(list), shape[*axis], axis_of(*axis, shape));
    for (std::size_t k = 0; k < shape.size(); ++k) factors.push_back(plain(shape[k]));
    factors[*axis] = {of_list, {shape[*axis]}, table_of(std::move(list))};
  }
  mapped_shape taken = shown(std::move(factors), index_map::identity(shape.size()));
  require_countable(function, taken.shape);
  return taken;
}

mapped_shape map_taken_along(const index_vector& shape, std::size_t axis, std::vector<index_t> list,
                             const index_vector& of_list) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k == axis || shape[k] == of_list[k]) continue;
    throw shape_error(fmt::format(
        "take_along_axis: an array of shape {} and indices of shape {}; extents must be equal on "
        "every axis but axis {}, along which the indices are",
        format_shape(shape), format_shape(of_list), axis));
  }
  list = from_first("take_along_axis", std::move(list), shape[axis], axis_of(axis, shape));
  const index_vector strides = row_major_strides(shape);
  index_vector position(of_list.size());
  for (index_t& index : list) {
    const index_t along = position[axis];
    position[axis] = index;
    index = offset_of(position, strides);
    position[axis] = along;
    static_cast<void>(next_position(position, of_list));
  }
  return shown({{of_list, shape, table_of(std::move(list))}}, index_map::identity(shape.size()));
}

mapped_shape map_points(std::string_view function, const index_vector& shape,
                        std::span<const std::vector<index_t>> lists, const index_vector& of_lists) {
  const index_vector strides = row_major_strides(shape);
  std::vector<index_t> numbers(lists.empty() ? 1 : lists.front().size(), 0);
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    if (lists[axis].size() != numbers.size()) {
      throw shape_error(fmt::format(
          "{}: axis 0 has a list of {} indices and axis {} one of {}; a point has one of each",
          function, numbers.size(), axis, lists[axis].size()));
    }
    const std::vector<index_t> list =
        from_first(function, lists[axis], shape[axis], axis_of(axis, shape));
    for (std::size_t i = 0; i < list.size(); ++i) numbers[i] += list[i] * strides[axis];
  }
  return shown({{of_lists, shape, table_of(std::move(numbers))}},
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
  std::vector<axis_map> into;
  std::size_t read = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const index_t count = checked_count("tile", counts[axis]);
    if (count == 1) {
      factors.push_back(plain(shape[axis]));
    } else {
      factors.push_back({{checked_multiply(count, shape[axis])}, {count, shape[axis]}});
      ++read;
    }
    into.emplace_back(read++, 0, 1);
  }
  mapped_shape tiled = shown(std::move(factors), {read, std::move(into)});
  require_countable("tile", tiled.shape);
  return tiled;
}

mapped_shape map_repeated(const index_vector& shape, std::optional<std::size_t> axis,
                          index_t count) {
  std::vector<gathered_axes> factors;
  std::vector<axis_map> into;
  std::size_t read = 0;
  checked_count("repeat", count);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    factors.push_back(plain(shape[k]));
    into.emplace_back(read++, 0, 1);
    if (axis != k) continue;
    factors.back() = {{checked_multiply(shape[k], count)}, {shape[k], count}};
    ++read;
  }
  if (!axis) {
    index_vector all = shape;
    all.push_back(count);
    factors = {{{checked_multiply(num_elements(shape), count)}, all}};
    ++read;
  }
  mapped_shape repeated = shown(std::move(factors), {read, std::move(into)});
  require_countable("repeat", repeated.shape);
  return repeated;
}

mapped_shape map_repeated(const index_vector& shape, std::size_t axis,
                          const std::vector<index_t>& counts) {
  if (static_cast<index_t>(counts.size()) != shape[axis]) {
    throw shape_error(fmt::format("repeat: {} counts for {}; there must be one for each element",
                                  counts.size(), axis_of(axis, shape)));
  }
  std::vector<index_t> list;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const index_t count = checked_count("repeat", counts[i]);
    list.insert(list.end(), static_cast<std::size_t>(count), static_cast<index_t>(i));
  }
  const index_vector of_list{static_cast<index_t>(list.size())};
  return map_taken("repeat", shape, axis, std::move(list), of_list);
}

array_layout gathered_layout(const array_layout& of, const index_map& map,
                             const index_vector& shape) {
  const gather& behind = *map.behind();
  array_layout result{shape, {}, of.spec, of.is_automatic};
  std::vector<std::string> names;
  std::size_t read = 0;
  double in_chunk = 1;
  for (const index_t chunk : of.chunks) in_chunk *= static_cast<double>(chunk);
  for (const gathered_axes& factor : behind.factors()) {
    double across = in_chunk;
    index_vector chunks;
    for (std::size_t axis = 0; axis < factor.read.size(); ++axis) {
      const index_t chunk = chunk_behind(of, behind.into(), read + axis);
      chunks.push_back(chunk == 0 ? std::max<index_t>(1, factor.read[axis]) : chunk);
      across /= static_cast<double>(std::max<index_t>(1, chunk));
    }
    const bool is_one_axis = factor.seen.size() == 1 && factor.read.size() == 1;
    const index_t most = factor.table != nullptr ? 0 : most_elements(of, across);
    append_block(result.chunks, factor.seen, elements_in_order(factor.read, chunks, most));
    for (std::size_t axis = 0; axis < factor.seen.size(); ++axis) names.emplace_back();
    for (std::size_t axis = 0; is_one_axis && axis < behind.into().axes().size(); ++axis) {
      const axis_term* const term = behind.into()[axis].only_term();
      const bool is_it = term != nullptr && term->axis == read;
      if (is_it && of.shape[axis] == factor.seen[0]) names.back() = of.names[axis];
    }
    read += factor.read.size();
  }
  if (!of.names.empty()) result.names = axis_names(std::move(names));
  result.chunks = clip_chunks(result.chunks, shape);
  return result;
}

}  // namespace tessera
