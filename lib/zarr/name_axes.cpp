// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_destination.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera::detail {

namespace {

/// Returns the prefix of default axis names: "u_dim_", or "dim_" for an array that is a store
/// without a name.
std::string prefix_for(const zarr_destination& to) {
  const auto recipe = to.path.empty() ? to.store->recipe() : std::nullopt;
  const std::string& path = recipe ? recipe->place : to.path;
  std::string_view array = std::string_view(path).substr(path.rfind('/') + 1);
  constexpr std::string_view ending = ".zarr";
  if (array.ends_with(ending)) array.remove_suffix(ending.size());
  return array.empty() ? "dim_" : fmt::format("{}_dim_", array);
}

}  // namespace

void name_axes(zarr_destination& to, std::vector<std::string> names) {
  const std::string prefix = prefix_for(to);
  const auto is_taken = [&names](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    if (!names[axis].empty()) continue;
    std::size_t number = axis;
    while (is_taken(fmt::format("{}{}", prefix, number))) number += names.size();
    names[axis] = fmt::format("{}{}", prefix, number);
  }
  to.dimension_names = std::move(names);
}

}  // namespace tessera::detail
