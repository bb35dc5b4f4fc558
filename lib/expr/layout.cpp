// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/layout.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"

#include "core/api/element_count.hpp"
#include "core/api/wide_integer.hpp"
#include "expr/api/grown_chunks.hpp"
#include "expr/axis_masks.hpp"
#include "expr/layout_names.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <vector>

namespace tessera {
namespace {

/// The most elements of a chunk to which broadcast axes are lengthened.
constexpr index_t small_chunk = index_t{1} << 20;

/// Tells whether the chunks of `a` take precedence over the chunks of `b`: chosen before automatic,
/// then large before small.
bool has_precedence(const array_layout& a, const array_layout& b) {
  if (a.is_automatic != b.is_automatic) return b.is_automatic;
  return element_count(a.chunks) > element_count(b.chunks);
}

/// Returns the operand whose chunks take precedence, the first of equals.
const array_layout& largest_chunk(operand_layouts operands) {
  const array_layout* largest = nullptr;
  for (const array_layout* operand : operands) {
    if (operand == nullptr) continue;
    if (largest == nullptr || has_precedence(*operand, *largest)) largest = operand;
  }
  return *largest;
}

/// Returns the number of elements of an automatic chunk of 8-byte elements.
double automatic_elements(const array_layout& layout) {
  const spec limits = layout.spec ? *layout.spec : default_spec();
  return static_cast<double>(
      std::min<std::uint64_t>(automatic_chunk_bytes, limits.allowed_memory.count() / 10) / 8);
}

/// Halves the longest of `axes` until a chunk has at most `most` elements, or until each of `axes`
/// has chunks of one element.
void shorten_chunks(array_layout& layout, const std::vector<std::size_t>& axes, double most) {
  while (element_count(layout.chunks) > std::max(most, 1.0)) {
    const auto longest =
        std::ranges::max_element(axes, {}, [&](std::size_t axis) { return layout.chunks[axis]; });
    if (longest == axes.end() || layout.chunks[*longest] == 1) return;
    layout.chunks[*longest] = ceil_divide(layout.chunks[*longest], 2);
  }
}

/// Returns the members in which two specs differ, with both values.
std::string differences(const spec& a, const spec& b) {
  std::vector<std::string> texts;
  const auto compare = [&](std::string_view member, const auto& x, const auto& y, auto text) {
    if (x == y) return;
    texts.push_back(fmt::format("{} is {} in one and {} in the other", member, text(x), text(y)));
  };
  const auto name = [](const std::string& x) { return x; };
  const auto size = [](bytes x) { return format(x); };
  const auto limit = [](const std::optional<bytes>& x) { return x ? format(*x) : "not set"; };
  compare("work_dir", a.work_dir, b.work_dir, name);
  compare("allowed_memory", a.allowed_memory, b.allowed_memory, size);
  compare("reserved_memory", a.reserved_memory, b.reserved_memory, size);
  compare("host_memory", a.host_memory, b.host_memory, limit);
  compare("intermediate_compressor", a.intermediate_compressor, b.intermediate_compressor, name);
  compare("costs", a.costs, b.costs, [](const costs& x) { return format(x); });
  compare("task_time", a.task_time, b.task_time,
          [](costs::seconds x) { return fmt::format("{} s", x.count()); });
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns the chunk of `operand` along `axis` of a result of `shape`, or 0 if it is broadcast.
index_t chunk_along(const array_layout& operand, const index_vector& shape, std::size_t axis) {
  const std::size_t missing = shape.size() - operand.shape.size();
  if (axis < missing) return 0;
  const std::size_t operand_axis = axis - missing;
  return operand.shape[operand_axis] == shape[axis] ? operand.chunks[operand_axis] : 0;
}

/// Tells whether each step exceeds the reach of all smaller steps, like the digits of a number.
bool are_digits(std::span<const axis_term> terms, const index_vector& shape) {
  std::vector<axis_term> digits(terms.begin(), terms.end());
  std::ranges::sort(digits, {}, [](const axis_term& term) { return std::abs(term.step); });
  wide_integer reach = 0;
  for (const axis_term& digit : digits) {
    if (std::abs(digit.step) <= reach) return false;
    reach += wide_integer{std::abs(digit.step)} * (std::max<index_t>(shape[digit.axis], 1) - 1);
  }
  return true;
}

/// Returns the number of steps in a chunk of an axis. `in_whole_rows` is for an axis that is split
/// into rows: a chunk of whole rows must have no more elements than the chunk.
index_t steps_in_chunk(index_t chunk, index_t step, bool in_whole_rows) {
  return in_whole_rows ? std::max<index_t>(1, chunk / step) : ceil_divide(chunk, step);
}

}  // namespace

std::shared_ptr<const spec> common_spec(std::string_view function, operand_layouts operands) {
  std::shared_ptr<const spec> common;
  for (const array_layout* operand : operands) {
    if (operand == nullptr || operand->spec == nullptr || operand->spec == common) continue;
    if (common == nullptr) {
      common = operand->spec;
    } else if (!(*common == *operand->spec)) {
      throw value_error(
          fmt::format("{}: the arrays have specs that differ: {}; arrays that are "
                      "computed together must have equal specs",
                      function, differences(*common, *operand->spec)));
    }
  }
  return common;
}

void require_countable(std::string_view function, const index_vector& shape) {
  try {
    static_cast<void>(num_elements(shape));
  } catch (const shape_error&) {
    throw shape_error(
        fmt::format("{}: an array of shape {} would have more than 2^63 - 1 elements, the most "
                    "that an array can have; take smaller extents",
                    function, format_shape(shape)));
  }
}

index_vector clip_chunks(index_vector chunks, const index_vector& shape) {
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    chunks[axis] = std::clamp<index_t>(chunks[axis], 1, std::max<index_t>(shape[axis], 1));
  }
  return chunks;
}

index_vector broadcast_shapes(std::string_view function, const index_vector& a,
                              const index_vector& b) {
  index_vector shape(std::max(a.size(), b.size()));
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    const index_t extent_of_a = back <= a.size() ? a[a.size() - back] : 1;
    const index_t extent_of_b = back <= b.size() ? b[b.size() - back] : 1;
    if (extent_of_a != extent_of_b && extent_of_a != 1 && extent_of_b != 1) {
      throw shape_error(fmt::format(
          "{}: shapes {} and {} do not broadcast: extents {} and {} differ on axis {} from the "
          "last; extents must be equal or 1",
          function, format_shape(a), format_shape(b), extent_of_a, extent_of_b, back));
    }
    shape[shape.size() - back] = extent_of_a == 1 ? extent_of_b : extent_of_a;
  }
  return shape;
}

index_map broadcast_map(const index_vector& from, const index_vector& to) {
  std::vector<axis_map> axes(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    const std::size_t target = axis + to.size() - from.size();
    if (from[axis] == to[target]) axes[axis] = {target, 0, 1};
  }
  return {to.size(), std::move(axes)};
}

array_layout broadcast_layout(std::string_view function, operand_layouts operands) {
  return broadcast_layout(function, operands, elements_of_largest_chunk(operands));
}

array_layout broadcast_layout(std::string_view function, operand_layouts operands,
                              double least_elements) {
  array_layout result;
  for (const array_layout* operand : operands) {
    if (operand != nullptr) {
      result.shape = broadcast_shapes(function, result.shape, operand->shape);
    }
  }
  require_countable(function, result.shape);
  result.spec = common_spec(function, operands);
  result.names = common_names(operands, result.shape);
  const array_layout& leading = largest_chunk(operands);
  index_vector chunks(result.shape.size(), 1);
  std::vector<std::size_t> axes(chunks.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<std::size_t> automatic_axes;
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    chunks[axis] = chunk_along(leading, result.shape, axis);
    bool is_chosen = chunks[axis] != 0 && !leading.is_automatic;
    if (chunks[axis] == 0) {
      for (const array_layout* operand : operands) {
        const index_t chunk = operand == nullptr ? 0 : chunk_along(*operand, result.shape, axis);
        if (chunk == 0 || (is_chosen && operand->is_automatic)) continue;
        const bool is_first_chosen = !is_chosen && !operand->is_automatic;
        chunks[axis] = is_first_chosen ? chunk : std::max(chunks[axis], chunk);
        is_chosen |= !operand->is_automatic;
      }
    }
    if (!is_chosen) automatic_axes.push_back(axis);
  }
  result.chunks = clip_chunks(chunks, result.shape);
  result.is_automatic = leading.is_automatic;
  if (leading.is_automatic) {
    shorten_chunks(result, automatic_axes, automatic_elements(result));
    return result;
  }
  const double leading_elements = element_count(leading.chunks);
  shorten_chunks(result, automatic_axes, std::max(automatic_elements(result), leading_elements));
  shorten_chunks(result, axes, std::max(most_elements_of_grown_chunk, least_elements));
  return result;
}

array_layout reduced_layout(std::string_view function, const array_layout& layout,
                            axis_mask reduced, std::span<const index_t> extra_lengths) {
  array_layout result{{}, {}, layout.spec, layout.is_automatic};
  std::vector<std::string> names;
  std::vector<std::size_t> extra_axes;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (!has_axis(reduced, axis)) {
      result.shape.push_back(layout.shape[axis]);
      result.chunks.push_back(layout.chunks[axis]);
      names.push_back(layout.names[axis]);
      continue;
    }
    for (const index_t length : extra_lengths) {
      extra_axes.push_back(result.shape.size());
      result.shape.push_back(length);
      result.chunks.push_back(length);
      names.emplace_back();
    }
    extra_lengths = {};
  }
  require_countable(function, result.shape);
  result.names = axis_names(std::move(names));
  const double least_elements = element_count(layout.chunks);
  shorten_chunks(result, extra_axes, std::max(most_elements_of_grown_chunk, least_elements));
  return result;
}

std::size_t checked_axis(std::string_view function, int axis, std::size_t rank) {
  const auto end = static_cast<int>(rank);
  if (-end <= axis && axis < end) return normalised_axis(axis, rank);
  throw shape_error(fmt::format("{}: axis {} is not in [{}, {}): the array has rank {}", function,
                                axis, -end, end, rank));
}

void require_state_length(std::string_view function, const array_layout& layout, axis_mask reduced,
                          index_t number) {
  const auto axis = static_cast<std::size_t>(std::countr_zero(reduced));
  const index_t extent = layout.shape[axis];
  if (number != 0 && -extent <= number && number <= extent) return;
  throw shape_error(
      fmt::format("{}: k is {}, and axis {} has {} elements; k must be from 1 to that, or negative "
                  "for the least",
                  function, number, axis, extent));
}

void require_groups(std::string_view function, std::span<const index_t> counts) {
  constexpr index_t most = index_t{1} << 40;
  index_t product = 1;
  for (const index_t count : counts) {
    if (count < 1) {
      throw shape_error(fmt::format("{}: {} groups: there must be at least one", function, count));
    }
    if (__builtin_mul_overflow(product, count, &product) || product > most) {
      throw shape_error(fmt::format("{}: more than 2^40 groups; choose fewer", function));
    }
  }
}

array_layout rechunked_layout(const array_layout& layout, const index_vector& chunks) {
  return {layout.shape, clip_chunks(chunks, layout.shape), layout.spec, false, layout.names};
}

void require_elements(std::string_view function, const array_layout& layout, axis_mask reduced) {
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (has_axis(reduced, axis) && layout.shape[axis] == 0) {
      throw shape_error(
          fmt::format("{}: axis {} of an array of shape {} has no elements; {} of nothing is not "
                      "defined, so each reduced axis must have at least one",
                      function, axis, format_shape(layout.shape), function));
    }
  }
}

void require_window(std::string_view function, const array_layout& layout, std::size_t axis,
                    index_t length) {
  if (length < 1) {
    throw value_error(
        fmt::format("{}: a window of {} elements is none; take 1 or more", function, length));
  }
  if (length <= layout.shape[axis]) return;
  throw shape_error(fmt::format(
      "{}: a window of {} elements is longer than axis {} of an array of shape {}; take "
      "one of at most {}",
      function, length, axis, format_shape(layout.shape), layout.shape[axis]));
}

array_layout concat_layout(operand_layouts operands, std::size_t axis) {
  array_layout result = *operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const index_vector& shape = operands[i]->shape;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (k == axis || shape[k] == result.shape[k]) continue;
      throw shape_error(fmt::format(
          "concat: arrays 0 and {} have shapes {} and {}; extents must be equal on every axis but "
          "axis {}, along which they are joined",
          i, format_shape(operands[0]->shape), format_shape(shape), axis));
    }
    if (__builtin_add_overflow(result.shape[axis], shape[axis], &result.shape[axis])) {
      throw shape_error(fmt::format(
          "concat: the extents along axis {} add up to more than 2^63 - 1; join fewer arrays",
          axis));
    }
  }
  require_countable("concat", result.shape);
  result.names = common_names(operands, result.shape);
  result.spec = common_spec("concat", operands);
  result.chunks = clip_chunks(largest_chunk(operands).chunks, result.shape);
  result.is_automatic = largest_chunk(operands).is_automatic;
  return result;
}

array_layout stack_layout(operand_layouts operands, std::size_t axis) {
  const index_vector& shape = operands[0]->shape;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (operands[i]->shape == shape) continue;
    const index_vector& other_shape = operands[i]->shape;
    throw shape_error(
        fmt::format("stack: arrays 0 and {} have shapes {} and {}; all shapes must be equal", i,
                    format_shape(shape), format_shape(other_shape)));
  }
  const index_vector& chunks = largest_chunk(operands).chunks;
  array_layout result{{}, {}, common_spec("stack", operands), largest_chunk(operands).is_automatic};
  std::vector<std::string> names = common_names(operands, shape).list(shape.size());
  names.insert(names.begin() + static_cast<std::ptrdiff_t>(axis), std::string());
  result.names = axis_names(std::move(names));
  for (std::size_t k = 0; k <= shape.size(); ++k) {
    if (k == axis) {
      result.shape.push_back(static_cast<index_t>(operands.size()));
      result.chunks.push_back(1);
    }
    if (k == shape.size()) break;
    result.shape.push_back(shape[k]);
    result.chunks.push_back(chunks[k]);
  }
  require_countable("stack", result.shape);
  return result;
}

array_layout view_layout(const array_layout& layout, const index_map& map,
                         const index_vector& shape) {
  array_layout result{shape, index_vector(shape.size(), 0), layout.spec, layout.is_automatic,
                      names_of_view(map, layout, shape)};
  index_t elements = 1;
  for (std::size_t k = 0; k < map.array_rank(); ++k) {
    // A split axis has chunks along all its terms. A window has chunks along its longest term, and
    // the remaining terms are whole.
    const std::span<const axis_term> terms = map[k].terms();
    const bool is_split = are_digits(terms, shape);
    const auto longest = std::ranges::max_element(terms, {}, [&](const axis_term& term) {
      return std::abs(term.step) * (std::max<index_t>(shape[term.axis], 1) - 1);
    });
    for (const axis_term& term : terms) {
      index_t& chunk = result.chunks[term.axis];
      const index_t chunk_before = std::max<index_t>(1, chunk);
      const index_t extent = std::max<index_t>(1, shape[term.axis]);
      const index_t steps =
          steps_in_chunk(layout.chunks[k], std::abs(term.step), is_split && terms.size() > 1);
      const index_t candidate = is_split || term == *longest ? std::min(steps, extent) : extent;
      chunk = chunk == 0 ? candidate : std::min(chunk, candidate);
      elements = std::min(small_chunk, elements / chunk_before) * std::min(small_chunk, chunk);
    }
  }
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (result.chunks[axis] != 0) continue;
    const index_t remaining = std::max<index_t>(1, small_chunk / std::max<index_t>(elements, 1));
    result.chunks[axis] = std::clamp<index_t>(shape[axis], 1, remaining);
    elements *= result.chunks[axis];
  }
  return result;
}

namespace detail {

shared_state<array_layout> shared(array_layout layout) {
  return std::make_shared<const array_layout>(std::move(layout));
}

}  // namespace detail

}  // namespace tessera
