// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_kinds.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>
#include <map>
#include <utility>

namespace tessera {

namespace {

std::map<std::string, array_kind>& known_kinds() {
  static std::map<std::string, array_kind> kinds;
  return kinds;
}

const array_kind& find_kind(const std::string& name) {
  const auto found = known_kinds().find(name);
  if (found != known_kinds().end()) return found->second;
  throw value_error(
      fmt::format("this program knows no stored arrays of the kind \"{:.40}\"", name));
}

}  // namespace

bool register_array_kind(const std::string& name, array_kind kind) {
  known_kinds().insert_or_assign(name, std::move(kind));
  return true;
}

std::shared_ptr<const array_source> open_array(const array_recipe& recipe) {
  return find_kind(recipe.kind).open(recipe);
}

std::shared_ptr<const array_destination> make_destination(const array_recipe& recipe) {
  return find_kind(recipe.kind).destination(recipe);
}

std::shared_ptr<const array_destination> make_intermediate(std::size_t number,
                                                           const element_type& type,
                                                           const index_vector& shape,
                                                           const index_vector& chunks,
                                                           const spec& limits) {
  for (const auto& [name, kind] : known_kinds()) {
    if (kind.intermediate) return kind.intermediate(number, type, shape, chunks, limits);
  }
  throw value_error("this program knows no storage for what is between the operations of a plan");
}

}  // namespace tessera
