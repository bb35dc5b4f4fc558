// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/open_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/nearest_name.hpp"
#include "tessera/store/filesystem_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace {

constexpr std::string_view scheme_end = "://";

/// The library's own, which every program knows, and those that were registered.
std::map<std::string, store_factory>& known_stores() {
  static std::map<std::string, store_factory> known{
      {std::string(filesystem_store::scheme), filesystem_store::open}};
  return known;
}

[[noreturn]] void throw_unknown(const store_recipe& recipe) {
  std::vector<std::string_view> known;
  for (const auto& [scheme, make] : known_stores()) known.push_back(scheme);
  throw value_error(fmt::format(
      "the store \"{:.40}://{:.200}\": this program knows no stores of the scheme \"{:.40}\"{}; "
      "known are \"{}\"",
      recipe.scheme, recipe.place, recipe.scheme, did_you_mean(recipe.scheme, known),
      fmt::join(known, "\", \"")));
}

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

/// Tells whether a text is a scheme (RFC 3986, 3.1).
bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || ('0' <= c && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

/// Returns what is written at `where`.
store_recipe parse(const std::string& where) {
  const std::size_t colon = where.find(scheme_end);
  if (colon == std::string::npos || !is_scheme(std::string_view(where).substr(0, colon))) {
    return filesystem_store(where).recipe().value();
  }
  store_recipe found{where.substr(0, colon), where.substr(colon + scheme_end.size())};
  while (found.place.size() > 1 && found.place.back() == '/') found.place.pop_back();
  return found;
}

}  // namespace

bool register_store(const std::string& scheme, store_factory make) {
  known_stores().insert_or_assign(scheme, std::move(make));
  return true;
}

std::shared_ptr<key_value_store> open_store(const store_recipe& recipe) {
  const auto found = known_stores().find(recipe.scheme);
  if (found == known_stores().end()) throw_unknown(recipe);
  return found->second(recipe);
}

std::shared_ptr<key_value_store> open_store(const std::string& where) {
  return open_store(parse(where));
}

store_recipe recipe_of_store(const std::string& where) {
  const store_recipe written = parse(where);
  return open_store(written)->recipe().value_or(written);
}

}  // namespace tessera
