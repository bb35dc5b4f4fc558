// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_location.hpp"

#include "tessera/store/open_store.hpp"

#include "zarr/store_above.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

/// Tells whether a folder of this name is a hierarchy.
bool names_hierarchy(std::string_view name) {
  constexpr std::string_view ending = ".zarr";
  return name.size() > ending.size() && name.ends_with(ending);
}

/// Returns the outermost folder of the hierarchy that the node is in.
store_recipe root_of(const store_recipe& node) {
  const std::string_view place = node.place;
  for (std::size_t begin = 0; begin < place.size();) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    if (names_hierarchy(place.substr(begin, end - begin))) {
      return {node.scheme, node.place.substr(0, end), node.options};
    }
    begin = end + 1;
  }
  store_recipe root = node;
  while (std::optional<store_recipe> above = detail::store_above(root)) {
    if (!detail::holds(*above, ".zgroup")) break;
    root = *std::move(above);
  }
  return root;
}

}  // namespace

zarr_location locate(const std::string& where) {
  const store_recipe node = recipe_of_store(where);
  const store_recipe root = root_of(node);
  std::string inner = node.place.substr(root.place.size());
  inner.erase(0, inner.find_first_not_of('/'));
  return {open_store(root), std::move(inner)};
}

}  // namespace tessera
