// SPDX-License-Identifier: Apache-2.0
/// \file
/// The JSON of pyramids.

#include "tessera/primitive/cascade.hpp"

#include "json/fields.hpp"
#include "primitive/inner.hpp"
#include "primitive/parse.hpp"

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

using nlohmann::json;

std::string cascade::to_json() const {
  json levels = json::array();
  for (const cascade_level& level : levels_) {
    json maps = json::array();
    for (const index_map& map : level.maps) maps.push_back(fields::of(map));
    levels.push_back({{"then", detail::inner_json(*level.then)},
                      {"made", level.made},
                      {"domain", fields::of(level.domain)},
                      {"stream", fields::of(level.stream)},
                      {"maps", std::move(maps)},
                      {"name", level.name}});
  }
  return json{{"first", detail::inner_json(*first_)},
              {"operands", num_first_},
              {"levels", std::move(levels)}}
      .dump();
}

primitive_handle detail::parse_cascade(const std::string& text) {
  constexpr std::size_t most_outputs = std::size_t{1} << 20;
  const json value = json::parse(text);
  std::vector<cascade_level> levels;
  for (const json& level : value.at("levels").get_ref<const json::array_t&>()) {
    std::vector<index_map> maps;
    for (const json& map : level.at("maps").get_ref<const json::array_t&>()) {
      maps.push_back(fields::affine_map(map));
    }
    levels.push_back({parse_inner("cascade", level.at("then")),
                      fields::number_below(level.at("made"), most_outputs),
                      fields::indices(level.at("domain")), fields::indices(level.at("stream")),
                      std::move(maps), fields::text(level.at("name"))});
  }
  return std::make_shared<const cascade>(parse_inner("cascade", value.at("first")),
                                         fields::count(value.at("operands")), std::move(levels));
}

}  // namespace tessera
