// SPDX-License-Identifier: Apache-2.0
#include "core/api/reshaped_block.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tessera {

namespace {

/// A factor of a gather, and its first axes of the domain and of the axes that are read.
struct factor_position {
  const gathered_axes& axes;
  std::size_t first_domain = 0;
  std::size_t first_read = 0;
};

/// Calls `f` with the position of each factor.
template <class F>
void for_each_factor(const gather& map, F f) {
  std::size_t first_domain = 0;
  std::size_t first_read = 0;
  for (const gathered_axes& axes : map.factors()) {
    f(factor_position{axes, first_domain, first_read});
    first_domain += axes.domain.size();
    first_read += axes.read.size();
  }
}

/// Tells whether each axis of the array is one of the axes that are read, and each of these is one
/// of the array.
bool is_permutation(const index_map& into) {
  std::vector<bool> is_used(into.domain_rank());
  for (const axis_map& along : into.axes()) {
    const axis_term* const term = along.only_term();
    if (term == nullptr || term->step != 1 || along.offset != 0 || is_used[term->axis]) {
      return false;
    }
    is_used[term->axis] = true;
  }
  return into.axes().size() == is_used.size();
}

/// Returns the axis of the array at axis `read` of the axes that are read.
std::size_t array_axis(const index_map& into, std::size_t read) {
  const auto along = std::ranges::find_if(
      into.axes(), [read](const axis_map& axis) { return axis.depends_on(read); });
  return static_cast<std::size_t>(along - into.axes().begin());
}

/// Tells whether the array, of `shape`, has the axes of a factor side by side.
bool are_side_by_side(const gather& map, const factor_position& factor, const index_vector& shape) {
  for (std::size_t i = 0; i < factor.axes.read.size(); ++i) {
    const std::size_t axis = array_axis(map.into(), factor.first_read + i);
    const bool follows = i == 0 || axis == array_axis(map.into(), factor.first_read + i - 1) + 1;
    if (!follows || shape[axis] != factor.axes.read[i]) return false;
  }
  return true;
}

}  // namespace

bool is_reshape_in_memory(const gather& map, const index_vector& shape) {
  if (map.has_tables() || map.into().axes().size() != shape.size() || !is_permutation(map.into())) {
    return false;
  }
  bool has_strides = true;
  for_each_factor(map, [&](const factor_position& factor) {
    has_strides = has_strides && (factor.axes.is_plain() || are_side_by_side(map, factor, shape));
  });
  return has_strides;
}

std::optional<axis_map> index_along(const index_map& map, std::size_t axis) {
  if (map.gather() == nullptr) return map[axis];
  std::optional<axis_map> along;
  for_each_factor(*map.gather(), [&](const factor_position& factor) {
    const bool is_read = map.gather()->into()[axis].depends_on(factor.first_read);
    if (factor.axes.is_plain() && is_read) along = map[factor.first_domain];
  });
  return along;
}

index_vector reshaped_index(const gather& map, std::span<const index_t> position) {
  index_vector read(map.read().size());
  for_each_factor(map, [&](const factor_position& factor) {
    index_t number = 0;
    const index_vector strides = row_major_strides(factor.axes.domain);
    for (std::size_t i = 0; i < strides.size(); ++i) {
      number += strides[i] * position[factor.first_domain + i];
    }
    for (std::size_t i = factor.axes.read.size(); i-- > 0;) {
      const index_t extent = std::max<index_t>(1, factor.axes.read[i]);
      read[factor.first_read + i] = number % extent;
      number /= extent;
    }
  });
  return map.into()(read);
}

index_vector reshaped_strides(const gather& map, std::span<const index_t> array_strides) {
  const index_vector read = map.into().strides(array_strides);
  index_vector result;
  for_each_factor(map, [&](const factor_position& factor) {
    const std::size_t last = factor.first_read + factor.axes.read.size();
    const index_t stride = factor.axes.read.empty() ? 0 : read[last - 1];
    for (const index_t in_domain : row_major_strides(factor.axes.domain)) {
      result.push_back(in_domain * stride);
    }
  });
  return result;
}

}  // namespace tessera
