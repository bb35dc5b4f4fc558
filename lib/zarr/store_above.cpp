// SPDX-License-Identifier: Apache-2.0
#include "zarr/store_above.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "zarr/document_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

std::size_t count_names(std::string_view place) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] != '/' && (i == 0 || place[i - 1] == '/')) ++count;
  }
  return count;
}

std::optional<store_recipe> store_above(const store_recipe& store) {
  const std::size_t slash = store.place.rfind('/');
  // The names of a file path follow a slash; a location of another scheme may begin with a name.
  if (slash == std::string::npos || store.place.size() == 1) return std::nullopt;
  if (count_names(store.place) <= root_names_of(store.scheme, store.place)) return std::nullopt;
  store_recipe above = store;
  above.place.resize(std::max<std::size_t>(slash, 1));
  return above;
}

bool holds(const store_recipe& store, node_kind kind) {
  try {
    const std::shared_ptr<key_value_store> opened = open_store(store);
    std::vector<std::string_view> names;
    for (const node_format* format : formats()) {
      names.push_back(kind == node_kind::array ? format->array_key : format->group_key);
    }
    return has_node(document_reader(*opened, "", names), "", kind);
  } catch (const store_error& failure) {
    if (failure.may_pass()) throw;
    return false;
  }
}

}  // namespace tessera::detail
