// SPDX-License-Identifier: Apache-2.0
#include "json/fields.hpp"

#include "tessera/core/error.hpp"

#include "core/api/base64.hpp"

#include <fmt/format.h>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tessera::fields {

json of(const index_map& map) {
  json axes = json::array();
  for (const axis_map& m : map.axes()) {
    json terms = json::array();
    for (const axis_term& term : m.terms()) terms.push_back({term.axis, term.step});
    axes.push_back({m.offset, std::move(terms)});
  }
  return {{"rank", map.domain_rank()}, {"axes", std::move(axes)}};
}

index_map affine_map(const json& value) {
  const std::size_t rank = number_below(value.at("rank"), max_rank + 1);
  std::vector<axis_map> axes;
  for (const json& m : fields::list(value.at("axes"))) {
    axis_map map_axis = integer(m.at(0));
    for (const json& term : fields::list(m.at(1))) {
      const std::size_t axis = number_below(term.at(0), rank);
      if (map_axis.depends_on(axis) || map_axis.terms().size() == axis_map::max_terms) {
        throw value_error("a map has too many terms");
      }
      map_axis.add({axis, integer(term.at(1))});
    }
    axes.push_back(map_axis);
  }
  return {rank, std::move(axes)};
}

json of_gathered(const index_map& map, const std::function<json(const index_table*)>& table) {
  json value = of(map);
  if (map.gather() == nullptr) return value;
  json factors = json::array();
  for (const gathered_axes& factor : map.gather()->factors()) {
    factors.push_back({{"domain", of(factor.domain)},
                       {"read", of(factor.read)},
                       {"table", table(factor.table.get())}});
  }
  value["gather"] = {{"factors", std::move(factors)}, {"into", of(map.gather()->into())}};
  return value;
}

index_map gathered_map(
    const json& value,
    const std::function<std::shared_ptr<const index_table>(const json&)>& table) {
  index_map front = affine_map(value);
  const auto gathered = value.find("gather");
  if (gathered == value.end()) return front;
  std::vector<gathered_axes> factors;
  for (const json& factor : list(gathered->at("factors"))) {
    factors.push_back(
        {indices(factor.at("domain")), indices(factor.at("read")), table(factor.at("table"))});
  }
  return {front.domain_rank(), front.axes(),
          std::make_shared<const gather>(std::move(factors), affine_map(gathered->at("into")))};
}

json of(dtype type) { return name_of(type); }

dtype type(const json& value) {
  const std::string& name = text(value);
  for (int i = 0; i <= static_cast<int>(dtype::complex128); ++i) {
    if (name_of(static_cast<dtype>(i)) == name) return static_cast<dtype>(i);
  }
  throw value_error(fmt::format("found the data type '{}', which does not exist", name));
}

json of(const element_type& type) {
  if (type.is_number()) return of(type.number());
  return {{"text", type.text()}, {"size", type.size()}};
}

element_type any_type(const json& value) {
  if (value.is_string()) return type(value);
  constexpr index_t most = index_t{1} << 32;
  const std::string& name = text(value.at("text"));
  if (name.empty()) throw value_error("found a type of elements without a name");
  return element_type::opaque(name,
                              static_cast<std::size_t>(integer_in(value.at("size"), 1, most)));
}

json of(const std::vector<dtype>& types) {
  json names = json::array();
  for (const dtype type : types) names.push_back(of(type));
  return names;
}

std::vector<dtype> types(const json& value) {
  std::vector<dtype> types;
  for (const json& item : fields::list(value)) types.push_back(type(item));
  return types;
}

kernel_parameters parameters(const json& value, std::string_view name, restore_function restore) {
  if (restore != nullptr) return restore(bytes(value));
  throw value_error(fmt::format("found parameters of '{}', which cannot be made from bytes", name));
}

json of_bytes(std::string_view bytes) { return detail::to_base64(std::as_bytes(std::span(bytes))); }

std::string bytes(const json& value) {
  const auto bytes = detail::from_base64(text(value));
  if (!bytes) throw value_error("found text that is no base64");
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

}  // namespace tessera::fields
