// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/open_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include "core/api/location_names.hpp"
#include "core/api/nearest_name.hpp"
#include "core/api/registry.hpp"
#include "store/api/memory_folder.hpp"
#include "store/reference/reference_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace {

struct registered_store {
  store_factory make;
  location_rules rules;
};

detail::registry<registered_store>& stores() {
  static auto& table = *new detail::registry<registered_store>{
      {filesystem_store::scheme,
       {filesystem_store::open, {.option_names = {"fsync", "refuse_outward_links"}}}},
      {detail::memory_scheme, {detail::open_memory, {.root_names = 1}}},
      {detail::reference_scheme,
       {detail::open_references, {.root_ending = ".json", .option_names = {"targets"}}}}};
  return table;
}

/// Returns a place without its user and query, which may be secrets. The place may be a URL itself.
std::string_view without_secrets(std::string_view place) {
  place = place.substr(0, place.find('?'));
  const std::size_t inner = place.find(scheme_end);
  const std::size_t host = inner == std::string_view::npos ? 0 : inner + scheme_end.size();
  const std::size_t at = place.substr(0, place.find('/', host)).rfind('@');
  return at == std::string_view::npos ? place : place.substr(at + 1);
}

/// Moves the options behind the last "?" of the place of `recipe` to its options.
void split_options(store_recipe& recipe) {
  const registered_store* const known = stores().find(recipe.scheme);
  if (known == nullptr || known->rules.option_names.empty()) return;
  const std::size_t mark = recipe.place.rfind('?');
  if (mark == std::string::npos) return;
  recipe.options = recipe.place.substr(mark + 1);
  recipe.place.resize(mark);
  const std::vector<std::string>& names = known->rules.option_names;
  for (std::string_view rest = recipe.options; !rest.empty();) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const std::string_view name = option.substr(0, option.find('='));
    if (std::ranges::find(names, name) != names.end()) continue;
    throw value_error(
        fmt::format("the store \"{:.40}://{:.200}\" has no option \"{:.40}\"{}; known are \"{}\"",
                    recipe.scheme, without_secrets(recipe.place), name,
                    did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end())),
                    fmt::join(names, "\", \"")));
  }
}

/// Returns the recipe of a location: "scheme://place?options", or a path.
store_recipe parse(const std::string& location) {
  const std::string scheme(scheme_of(location));
  if (scheme.empty()) return filesystem_store(location).recipe().value();
  store_recipe recipe{scheme, location.substr(scheme.size() + scheme_end.size())};
  // Schemes ignore case.
  std::string lower = recipe.scheme;
  for (char& letter : lower) {
    if ('A' <= letter && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (stores().find(recipe.scheme) == nullptr) recipe.scheme = std::move(lower);
  split_options(recipe);
  // A scheme without options may have queries, which are the server's own.
  const registered_store* const known = stores().find(recipe.scheme);
  const bool has_query = known != nullptr && known->rules.root_names > 0 &&
                         known->rules.option_names.empty() &&
                         recipe.place.find('?') != std::string::npos;
  while (!has_query && recipe.place.size() > 1 && recipe.place.back() == '/') {
    recipe.place.pop_back();
  }
  return recipe;
}

}  // namespace

bool register_store(const std::string& scheme, store_factory make, location_rules rules) {
  return stores().replace(scheme, {std::move(make), std::move(rules)});
}

std::size_t root_names_of(const std::string& scheme, std::string_view place) {
  const registered_store* const known = stores().find(scheme);
  if (known == nullptr) return 0;
  const std::string& ending = known->rules.root_ending;
  if (ending.empty()) return known->rules.root_names;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < place.size();) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    const std::string_view name = place.substr(begin, end - begin);
    begin = end + 1;
    if (!name.empty()) ++count;
    if (name.ends_with(ending)) break;
  }
  return count;
}

namespace {

/// Returns the component that has the stores of a scheme, "" if there is none.
std::string_view component_of(std::string_view scheme) {
  if (scheme == "https" || scheme == "http") return "http";
  const bool is_s3 =
      scheme == "s3" || scheme == "s3+https" || scheme == "s3+http" || scheme == "gs";
  return is_s3 ? "s3" : "";
}

}  // namespace

std::shared_ptr<key_value_store> open_store(const store_recipe& recipe) {
  if (const registered_store* known = stores().find(recipe.scheme)) return known->make(recipe);
  if (const std::string_view component = component_of(recipe.scheme); !component.empty()) {
    // The place may hold secrets.
    throw value_error(
        fmt::format("a store of the scheme \"{0}\": this program is built without the "
                    "component {1}; link tessera::{1}, which needs {2}",
                    recipe.scheme, component,
                    component == "http" ? "libcurl" : "libcurl, OpenSSL and pugixml"));
  }
  throw value_error(fmt::format(
      "the store \"{:.40}://{:.200}\": this program knows no stores of the scheme \"{:.40}\"{}",
      recipe.scheme, without_secrets(recipe.place), recipe.scheme,
      stores().suggestion(recipe.scheme)));
}

std::shared_ptr<key_value_store> open_store(const std::string& location) {
  return open_store(parse(location));
}

store_recipe recipe_of_store(const std::string& location) {
  const store_recipe written = parse(location);
  return open_store(written)->recipe().value_or(written);
}

}  // namespace tessera
