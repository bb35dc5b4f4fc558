// SPDX-License-Identifier: Apache-2.0
#include "json/fields.hpp"

#include "tessera/core/base64.hpp"
#include "tessera/core/error.hpp"

#include <fmt/format.h>
#include <limits>
#include <span>

namespace tessera::fields {

index_t integer(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(std::numeric_limits<index_t>::max())) {
      return static_cast<index_t>(number);
    }
  } else if (value.is_number_integer()) {
    return value.get<index_t>();
  }
  throw value_error(fmt::format("found {} where an integer of 64 bits belongs", value.dump()));
}

index_t integer_in(const json& value, index_t low, index_t high) {
  const index_t number = integer(value);
  if (low <= number && number <= high) return number;
  throw value_error(fmt::format("found {}, which is not from {} to {}", number, low, high));
}

std::size_t count(const json& value) {
  return static_cast<std::size_t>(integer_in(value, 0, std::numeric_limits<index_t>::max()));
}

std::size_t number_below(const json& value, std::size_t limit) {
  const std::size_t number = count(value);
  if (number < limit) return number;
  throw value_error(
      fmt::format("found the number {} of something of which there are {}", number, limit));
}

const std::string& text(const json& value) { return value.get_ref<const std::string&>(); }

bool flag(const json& value) { return value.get_ref<const bool&>(); }

json of(const index_vector& values) { return std::vector<index_t>(values.begin(), values.end()); }

index_vector indices(const json& value) {
  index_vector values;
  for (const json& item : value.get_ref<const json::array_t&>()) values.push_back(integer(item));
  return values;
}

std::vector<std::size_t> counts(const json& value) {
  std::vector<std::size_t> values;
  for (const json& item : value.get_ref<const json::array_t&>()) values.push_back(count(item));
  return values;
}

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
  for (const json& m : value.at("axes").get_ref<const json::array_t&>()) {
    axis_map made = integer(m.at(0));
    for (const json& term : m.at(1).get_ref<const json::array_t&>()) {
      const std::size_t axis = number_below(term.at(0), rank);
      if (made.depends_on(axis) || made.terms().size() == axis_map::max_terms) {
        throw value_error("a map has too many terms");
      }
      made.add({axis, integer(term.at(1))});
    }
    axes.push_back(made);
  }
  return {rank, std::move(axes)};
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
  std::vector<dtype> found;
  for (const json& item : value.get_ref<const json::array_t&>()) found.push_back(type(item));
  return found;
}

kernel_parameters parameters(const json& value, std::string_view name, restore_function restore) {
  if (restore != nullptr) return restore(bytes(value));
  throw value_error(fmt::format("found parameters of '{}', which cannot be made from bytes", name));
}

json of_bytes(std::string_view bytes) { return detail::to_base64(std::as_bytes(std::span(bytes))); }

std::string bytes(const json& value) {
  const auto found = detail::from_base64(text(value));
  if (!found) throw value_error("found text that is no base64");
  return {reinterpret_cast<const char*>(found->data()), found->size()};
}

}  // namespace tessera::fields
