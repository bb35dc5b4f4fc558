// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/store/s3.hpp"

#include "store/s3/key_source.hpp"
#include "store/s3/recipe_options.hpp"
#include "store/s3/s3_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace s3 {

namespace {

std::shared_ptr<key_value_store> open_location(std::string_view scheme, std::string_view place,
                                               const s3_options& options) {
  const profile_settings profile = read_profile(options.profile);
  const auto endpoint = profile.find("endpoint_url");
  bucket_location location =
      parse_location(scheme, place, options, endpoint == profile.end() ? "" : endpoint->second);
  return std::make_shared<s3_store>(std::move(location), options, region_of(options, profile));
}

std::shared_ptr<key_value_store> open_recipe(const store_recipe& recipe) {
  return open_location(recipe.scheme, recipe.place, parse_options(recipe.options));
}

bool register_schemes() {
  for (const char* scheme : {"s3", "gs"}) {
    register_store(scheme, open_recipe, {.root_names = 1, .option_names = option_names()});
  }
  for (const char* scheme : {"s3+https", "s3+http"}) {
    register_store(scheme, open_recipe, {.root_names = 2, .option_names = option_names()});
  }
  return true;
}

}  // namespace

}  // namespace s3

std::shared_ptr<key_value_store> open_s3_store(const std::string& location,
                                               const s3_options& options) {
  const std::size_t colon = std::min(location.find("://"), location.size());
  const std::size_t name_begin = std::min(colon + 3, location.size());
  if (location.find('?') != std::string::npos) {
    throw value_error(
        "the location of open_s3_store has options behind \"?\": give them as s3_options, or call "
        "open_store");
  }
  return s3::open_location(location.substr(0, colon), location.substr(name_begin), options);
}

}  // namespace tessera

extern "C" {
/// The component's linker option `--undefined` names this symbol, so that static libraries link
/// this object.
extern const bool tessera_s3_is_registered;
const bool tessera_s3_is_registered = tessera::s3::register_schemes();
}
