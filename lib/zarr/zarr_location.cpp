// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_location.hpp"

#include "tessera/store/open_store.hpp"

#include "store/api/percent.hpp"
#include "zarr/store_above.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

/// Tells whether a folder of this name is the root of a hierarchy: "a.zarr".
bool names_hierarchy(std::string_view name) {
  constexpr std::string_view ending = ".zarr";
  return name.size() > ending.size() && name.ends_with(ending);
}

/// Returns the root of the node's hierarchy: the outermost folder that is named "*.zarr", else the
/// top of the chain of groups above.
store_recipe root_of(const store_recipe& node) {
  const std::string_view place = node.place;
  const std::size_t root_names = root_names_of(node.scheme, node.place);
  // A query, which the schemes without options keep in the place, is of the node alone.
  if (root_names > 0 && place.find('?') != std::string_view::npos) return node;
  for (std::size_t begin = 0; begin < place.size();) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    const bool is_folder = detail::count_names(place.substr(0, end)) >= root_names;
    if (is_folder && names_hierarchy(place.substr(begin, end - begin))) {
      return {node.scheme, node.place.substr(0, end), node.options};
    }
    begin = end + 1;
  }
  store_recipe root = node;
  while (std::optional<store_recipe> above = detail::store_above(root)) {
    if (!detail::holds(*above, detail::node_kind::group)) break;
    root = *std::move(above);
  }
  return root;
}

}  // namespace

zarr_location locate(const std::string& location) {
  const store_recipe node = recipe_of_store(location);
  const store_recipe root = root_of(node);
  std::string inner = node.place.substr(root.place.size());
  inner.erase(0, inner.find_first_not_of('/'));
  // Keys are names, and the path of a URL is their encoding.
  const bool is_url = node.scheme == "https" || node.scheme == "http";
  return {open_store(root), is_url ? detail::percent_decoded(inner) : std::move(inner)};
}

}  // namespace tessera
