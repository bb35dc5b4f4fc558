// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/creation.hpp"

#include "tessera/array/from_memory.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/error.hpp"
#include "tessera/plan/node.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera::detail {

array_layout new_layout(std::string_view function, const index_vector& shape, std::size_t item_size,
                        const creation_options& options) {
  for (const index_t extent : shape) {
    if (extent < 0) {
      throw shape_error(
          fmt::format("{}: shape {} has the negative extent {}; extents must be at "
                      "least 0",
                      function, format_shape(shape), extent));
    }
  }
  require_countable(function, shape);
  auto given = options.spec ? std::make_shared<const spec>(*options.spec) : nullptr;
  const spec limits = given ? *given : default_spec();
  return {shape, options.chunks.resolve(function, shape, item_size, limits), std::move(given),
          options.chunks.is_automatic()};
}

array_handle memory_node(dtype type, const array_layout& layout, std::shared_ptr<const void> owner,
                         const std::byte* data, index_vector strides) {
  return std::make_shared<const array_node>(
      array_node{type, layout.shape, layout.chunks, "memory",
                 memory_source{std::move(owner), data, std::move(strides)}});
}

void check_num_elements(std::string_view function, const index_vector& shape,
                        std::size_t available) {
  require_countable(function, shape);
  if (num_elements(shape) == static_cast<index_t>(available)) return;
  throw shape_error(
      fmt::format("{}: {} elements are given for shape {}, which has {}; the numbers "
                  "must be equal",
                  function, available, format_shape(shape), num_elements(shape)));
}

shared_state<shown_array> show_generated(std::string_view name, const index_vector& shape,
                                         std::size_t item_size, const creation_options& options,
                                         const generator_kernel& kernel,
                                         kernel_parameters parameters) {
  const array_layout layout = new_layout(name, shape, item_size, options);
  return show(
      whole_of(make_generated(name, layout.shape, layout.chunks, kernel, std::move(parameters))),
      layout);
}

index_t arange_size(double start, double stop, double step) {
  if (step == 0 || !std::isfinite(step) || !std::isfinite(start) || !std::isfinite(stop)) {
    throw value_error(
        fmt::format("arange: start {}, stop {} and step {} give no finite sequence; "
                    "all must be finite and the step not zero",
                    start, stop, step));
  }
  const double count = std::ceil((stop - start) / step);
  if (count >= std::ldexp(1.0, std::numeric_limits<index_t>::digits)) {
    throw shape_error(
        fmt::format("arange: start {}, stop {} and step {} give more than 2^63 - 1 values, the "
                    "most that an array can have; take a longer step",
                    start, stop, step));
  }
  return count <= 0 ? 0 : static_cast<index_t>(count);
}

index_t arange_size(std::uint64_t distance, std::uint64_t step) {
  if (step == 0) throw value_error("arange: step 0 gives no finite sequence; take another step");
  const std::uint64_t count = distance / step + (distance % step == 0 ? 0 : 1);
  if (!std::in_range<index_t>(count)) {
    throw shape_error(
        fmt::format("arange: {} values are more than 2^63 - 1, the most that an array can have; "
                    "take a longer step",
                    count));
  }
  return static_cast<index_t>(count);
}

void check_rank(std::string_view function, std::size_t given, std::size_t rank) {
  if (given == rank) return;
  throw shape_error(
      fmt::format("{}: {} extents are given for an array of rank {}; give one for "
                  "each axis",
                  function, given, rank));
}

}  // namespace tessera::detail

namespace tessera::random::detail {

std::uint64_t integer_range(index_t low, index_t high, bool endpoint, index_t least, index_t most) {
  const index_t last =
      endpoint ? high : high - (high > std::numeric_limits<index_t>::min() ? 1 : 0);
  if (last < low || (!endpoint && high <= low)) {
    throw value_error(fmt::format("integers: there is no number from {} up to {}{}", low, high,
                                  endpoint ? "" : ", which is left out"));
  }
  if (low < least || last > most) {
    throw value_error(
        fmt::format("integers: numbers from {} to {} are asked for, of a dtype from {} to {}", low,
                    last, least, most));
  }
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(low) + 1;
}

double checked_probability(double p) {
  if (p >= 0 && p <= 1) return p;
  throw value_error(fmt::format("bernoulli: found the probability {}; it must be in [0, 1]", p));
}

}  // namespace tessera::random::detail
