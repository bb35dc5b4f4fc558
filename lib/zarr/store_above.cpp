// SPDX-License-Identifier: Apache-2.0
#include "zarr/store_above.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace tessera::detail {

std::optional<store_recipe> store_above(const store_recipe& store) {
  const std::size_t slash = store.place.rfind('/');
  // The names of a path stand behind a slash, those of other places may begin at once.
  if (slash == std::string::npos || store.place.size() == 1) return std::nullopt;
  store_recipe above = store;
  above.place.resize(std::max<std::size_t>(slash, 1));
  return above;
}

bool holds(const store_recipe& store, std::string_view key) {
  try {
    return open_store(store)->exists(key);
  } catch (const store_error& failure) {
    if (failure.may_pass()) throw;
    return false;
  }
}

}  // namespace tessera::detail
