// SPDX-License-Identifier: Apache-2.0
#include "core/api/array_kinds.hpp"

#include "tessera/core/error.hpp"

#include "core/api/registry.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

constexpr auto kinds = &detail::registry<array_kind>::instance;

const array_kind& find_kind(std::string_view name) {
  if (const array_kind* kind = kinds().find(name)) return *kind;
  throw value_error(fmt::format("this program knows no stored arrays of the kind \"{:.40}\"{}",
                                name, kinds().suggestion(name)));
}

}  // namespace

bool register_array_kind(const std::string& name, array_kind kind) {
  return kinds().replace(name, std::move(kind));
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
  for (const std::string_view name : kinds().names()) {
    const array_kind& kind = find_kind(name);
    if (kind.intermediate) return kind.intermediate(number, type, shape, chunks, limits);
  }
  throw value_error("this program knows no storage for the intermediate arrays of a plan");
}

}  // namespace tessera
