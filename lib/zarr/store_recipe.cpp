// SPDX-License-Identifier: Apache-2.0
#include "zarr/store_recipe.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/directory_store.hpp"

#include <fmt/format.h>
#include <optional>

namespace tessera::detail {

using nlohmann::json;

json store_recipe(const std::string& array, const std::shared_ptr<key_value_store>& store) {
  const std::optional<directory_store> directory = as_directory(store);
  if (!directory) {
    throw value_error(fmt::format(
        "the array '{}' is in the store '{}', which other processes cannot open; keep it in a "
        "directory, or run it on an executor in this process: serial, threads",
        array, store->name()));
  }
  return {{"directory", directory->path},
          {"fsync", directory->fsync},
          {"refuse_outward_links", directory->refuse_outward_links}};
}

std::shared_ptr<key_value_store> parse_store(const json& value) {
  return make_store({text_of(value.at("directory")), flag_of(value.at("fsync")),
                     flag_of(value.at("refuse_outward_links"))});
}

}  // namespace tessera::detail
