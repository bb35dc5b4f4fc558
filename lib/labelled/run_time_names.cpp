// SPDX-License-Identifier: Apache-2.0
#include "tessera/labelled/run_time_names.hpp"

#include "tessera/core/error.hpp"

#include "core/api/nearest_name.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tessera {
namespace detail {

std::size_t axis_of_name(std::string_view function, std::string_view name,
                         std::span<const std::string> names) {
  const auto position = std::find(names.begin(), names.end(), name);
  if (!name.empty() && position != names.end()) {
    return static_cast<std::size_t>(position - names.begin());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw shape_error(fmt::format("{}: no dimension is called \"{}\", the array has ({}){}", function,
                                name, fmt::join(names, ", "), did_you_mean(name, known)));
}

std::vector<std::size_t> order_of_names(const std::string& array_name,
                                        std::span<const std::string> names,
                                        std::span<const std::string_view> asked) {
  std::vector<std::size_t> order(asked.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_named = [](const std::string& name) { return !name.empty(); };
  if (std::none_of(names.begin(), names.end(), is_named)) return order;
  if (!std::is_permutation(names.begin(), names.end(), asked.begin(), asked.end())) {
    throw shape_error(fmt::format(
        "as: {} has the dimensions ({}), and ({}) are asked for; ask for the same, in any order",
        array_name, fmt::join(names, ", "), fmt::join(asked, ", ")));
  }
  for (std::size_t axis = 0; axis < asked.size(); ++axis) {
    const auto position = std::find(names.begin(), names.end(), asked[axis]);
    order[axis] = static_cast<std::size_t>(position - names.begin());
  }
  return order;
}

}  // namespace detail

run_time_axis axis_named(const any_array& x, std::string_view name) {
  const auto& names = x.stored().dimension_names();
  return axis_at(static_cast<int>(detail::axis_of_name("axis_named", name, names)));
}

any_array rechunk(const any_array& x,
                  const std::vector<std::pair<std::string, chunk_length>>& chunks) {
  std::vector<chunk_length> lengths(x.chunks().begin(), x.chunks().end());
  for (const auto& [name, length] : chunks) {
    lengths[detail::axis_of_name("rechunk", name, x.stored().dimension_names())] = length;
  }
  return rechunk(x, chunk_lengths(std::move(lengths)));
}

}  // namespace tessera
