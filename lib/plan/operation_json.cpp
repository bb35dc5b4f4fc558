// SPDX-License-Identifier: Apache-2.0
#include "plan/operation_json.hpp"

#include "tessera/core/error.hpp"

#include "json/fields.hpp"

#include <string>

namespace tessera {

namespace {

using nlohmann::json;

json map_json(const index_map& map) {
  json axes = json::array();
  for (const axis_map& m : map.axes()) {
    json terms = json::array();
    for (const axis_term& term : m.terms()) terms.push_back({term.axis, term.step});
    axes.push_back({m.offset, std::move(terms)});
  }
  return {{"rank", map.domain_rank()}, {"axes", std::move(axes)}};
}

index_map parse_map(const json& value) {
  const std::size_t rank = fields::number_below(value.at("rank"), max_rank + 1);
  std::vector<axis_map> axes;
  for (const json& m : value.at("axes").get_ref<const json::array_t&>()) {
    axis_map made = fields::integer(m.at(0));
    for (const json& term : m.at(1).get_ref<const json::array_t&>()) {
      const std::size_t axis = fields::number_below(term.at(0), rank);
      if (made.depends_on(axis) || made.terms().size() == axis_map::max_terms) {
        throw value_error("a map has too many terms");
      }
      made.add({axis, fields::integer(term.at(1))});
    }
    axes.push_back(made);
  }
  return {rank, std::move(axes)};
}

json body_json(const primitive& body) {
  json value = json::parse(body.to_json());
  value["kind"] = body.kind();
  return value;
}

}  // namespace

json operation_json(const operation& what) {
  json operands = json::array();
  for (const index_map& map : what.operands) operands.push_back(map_json(map));
  return {{"name", what.name},
          {"domain", fields::of(what.how.domain)},
          {"block", fields::of(what.how.block)},
          {"stream", fields::of(what.how.stream)},
          {"ordered", what.how.ordered.to_ulong()},
          {"operands", std::move(operands)},
          {"body", body_json(*what.body)}};
}

operation parse_operation(const json& value) {
  operation what;
  what.name = fields::text(value.at("name"));
  what.how.domain = fields::indices(value.at("domain"));
  what.how.block = fields::indices(value.at("block"));
  what.how.stream = fields::indices(value.at("stream"));
  what.how.ordered = fields::number_below(value.at("ordered"), std::size_t{1} << max_rank);
  for (const json& map : value.at("operands").get_ref<const json::array_t&>()) {
    what.operands.push_back(parse_map(map));
  }
  const json& body = value.at("body");
  what.body = parse_primitive(fields::text(body.at("kind")), body.dump());
  return what;
}

}  // namespace tessera
