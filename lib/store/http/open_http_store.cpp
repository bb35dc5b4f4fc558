// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/http.hpp"
#include "tessera/store/open_store.hpp"

#include "store/http/http_store.hpp"
#include "store/http/recipe_options.hpp"

#include <fmt/format.h>

namespace tessera {

std::shared_ptr<key_value_store> open_http_store(const std::string& url,
                                                 const http_options& options) {
  return std::make_shared<http::http_store>(http::parse_url(url), options);
}

namespace http {

namespace {

std::shared_ptr<key_value_store> open_recipe(const store_recipe& recipe) {
  return open_http_store(fmt::format("{}://{}", recipe.scheme, recipe.place),
                         parse_options(recipe.options));
}

bool register_schemes() {
  const location_rules rules{.root_names = 1};
  return register_store("https", open_recipe, rules) && register_store("http", open_recipe, rules);
}

}  // namespace

}  // namespace http

}  // namespace tessera

extern "C" {
/// The component's linker option `--undefined` names this symbol, so that static libraries link
/// this object.
extern const bool tessera_http_is_registered;
const bool tessera_http_is_registered = tessera::http::register_schemes();
}
