// SPDX-License-Identifier: Apache-2.0
#include "zarr/store_json.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "json/byte_text.hpp"
#include "json/values.hpp"

#include <fmt/format.h>
#include <optional>

namespace tessera::detail {

using nlohmann::json;

json store_json(const std::string& array, const key_value_store& store) {
  const std::optional<store_recipe> recipe = store.recipe();
  if (!recipe) {
    throw value_error(fmt::format(
        "the array '{}' is in the store '{}', which other processes cannot open; keep it in a "
        "directory, or run it on an executor in this process: serial, threads",
        array, store.name()));
  }
  return {{"scheme", recipe->scheme},
          {"place", fields::of_byte_text(recipe->place)},
          {"options", fields::of_byte_text(recipe->options)}};
}

std::shared_ptr<key_value_store> parse_store(const json& value) {
  return open_store(store_recipe{fields::text(value.at("scheme")),
                                 fields::byte_text(value.at("place")),
                                 fields::byte_text(value.at("options"))});
}

}  // namespace tessera::detail
