// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/selection.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"

#include "core/api/host_memory.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace tessera::detail {

index_vector block_extents(const array_layout& of, std::size_t itemsize) {
  const spec limits = of.spec ? *of.spec : default_spec();
  const auto most = static_cast<index_t>(
      std::max<std::uint64_t>(1, limits.allowed_memory.count() / 8 / itemsize));
  index_vector extents = of.chunks;
  double count = 1;
  for (const index_t chunk : of.chunks) count *= static_cast<double>(chunk);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const auto fits = static_cast<index_t>(static_cast<double>(most) / std::max(count, 1.0));
    if (fits < 2) break;
    const index_t chunk = extents[axis];
    const index_t chunks = std::min(fits, ceil_divide(std::max<index_t>(1, of.shape[axis]), chunk));
    extents[axis] = chunk * chunks;
    count *= static_cast<double>(chunks);
  }
  return extents;
}

void require_room(std::string_view function, const array_layout& of, index_t count,
                  std::size_t size) {
  const spec limits = of.spec ? *of.spec : default_spec();
  const bytes room = limits.host_memory.value_or(host_memory());
  const auto needed = static_cast<double>(count) * static_cast<double>(size);
  if (needed <= static_cast<double>(room.count())) return;
  throw memory_error(fmt::format(
      "{}: {} elements of an array of shape {} take {} bytes each, {:.3g} GB in all, which the {} "
      "of host memory do not hold; select of a part of the array at a time",
      function, count, format_shape(of.shape), size, needed / 1e9, format_short(room)));
}

std::vector<any_index> indices_of(const region& box) {
  std::vector<any_index> indices;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    indices.emplace_back(slice(box.start[axis], box.stop[axis]));
  }
  return indices;
}

void append_true(std::vector<index_t>& numbers, const index_vector& shape, const region& box,
                 std::span<const bool> elements) {
  const index_vector strides = row_major_strides(shape);
  index_vector rows = box.shape();
  const index_t length = rows.empty() ? 1 : rows.back();
  if (!rows.empty()) rows.back() = 1;
  if (elements.empty()) return;
  index_vector position(rows.size());
  const bool* row = elements.data();
  do {
    const index_t first = offset_of(box.start, strides) + offset_of(position, strides);
    for (index_t i = 0; i < length; ++i) {
      if (row[i]) numbers.push_back(first + i);
    }
    row += length;
  } while (next_position(position, rows));
}

std::vector<std::int64_t> indices_of_numbers(const std::vector<index_t>& numbers,
                                             const index_vector& shape, bool is_by_element) {
  std::vector<std::int64_t> indices(numbers.size() * shape.size());
  const std::size_t between_axes = is_by_element ? 1 : numbers.size();
  const std::size_t between_elements = is_by_element ? shape.size() : 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    index_t number = numbers[i];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      indices[i * between_elements + axis * between_axes] = number % shape[axis];
      number /= shape[axis];
    }
  }
  return indices;
}

void require_mask(std::string_view function, const index_vector& mask, const index_vector& shape) {
  if (mask == shape) return;
  throw shape_error(
      fmt::format("{}: a mask of shape {} for an array of shape {}; it must have one "
                  "element for each of the array's",
                  function, format_shape(mask), format_shape(shape)));
}

void require_coordinates(std::string_view function, std::size_t count, double value) {
  if (count == 0) throw shape_error(fmt::format("{}: there are no coordinates", function));
  if (std::isnan(value)) {
    throw value_error(fmt::format("{}: NaN is asked for, which no coordinate is near", function));
  }
}

index_t nearest_of(std::span<const double> x, double value) {
  require_coordinates("nearest", x.size(), value);
  index_t nearest = -1;
  double least = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double distance = x[i] == value ? 0 : std::abs(x[i] - value);
    if (std::isnan(distance) || (nearest >= 0 && distance > least)) continue;
    nearest = static_cast<index_t>(i);
    least = distance;
  }
  if (nearest < 0) throw value_error("nearest: every coordinate is NaN");
  return nearest;
}

std::vector<index_t> nearest_to_each(std::span<const double> x, std::span<const double> values) {
  std::vector<index_t> nearest;
  for (const double value : values) nearest.push_back(nearest_of(x, value));
  return nearest;
}

slice between_of(std::span<const double> x, double low, double high) {
  require_coordinates("between", 1, low);
  require_coordinates("between", 1, high);
  const auto at = [&x](auto element) { return static_cast<index_t>(element - x.begin()); };
  if (std::is_sorted(x.begin(), x.end())) {
    const auto first = std::lower_bound(x.begin(), x.end(), low);
    return {at(first), at(std::upper_bound(first, x.end(), std::max(low, high)))};
  }
  if (!std::is_sorted(x.begin(), x.end(), std::greater<>())) {
    throw value_error(
        "between: coordinates must ascend or descend; index(...) selects by a mask or a list");
  }
  const auto first = std::lower_bound(x.begin(), x.end(), high, std::greater<>());
  return {at(first), at(std::upper_bound(first, x.end(), std::min(low, high), std::greater<>()))};
}

}  // namespace tessera::detail
