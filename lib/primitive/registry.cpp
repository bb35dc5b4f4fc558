// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/parse.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera {

namespace {

/// The factories by kind: those of the library, and the registered ones.
std::map<std::string, primitive_factory>& primitive_factories() {
  static std::map<std::string, primitive_factory> factories{
      {"copy", detail::parse_copy},         {"strips", detail::parse_strips},
      {"blocks", detail::parse_blocks},     {"epilogue", detail::parse_epilogue},
      {"prologue", detail::parse_prologue}, {"held", detail::parse_held},
      {"cascade", detail::parse_cascade}};
  return factories;
}

}  // namespace

double primitive::element_steps(const walk& schedule) const {
  double steps = std::max(1.0, weight());
  for (const index_t extent : schedule.domain) steps *= static_cast<double>(extent);
  return steps;
}

bool equal(const primitive& a, const primitive& b) { return a.kind() == b.kind() && a.equals(b); }

bool register_primitive(const std::string& kind, primitive_factory make) {
  primitive_factories().insert_or_assign(kind, std::move(make));
  return true;
}

primitive_handle parse_primitive(const std::string& kind, const std::string& json) {
  const auto match = primitive_factories().find(kind);
  if (match != primitive_factories().end()) return match->second(json);
  throw value_error("an operation has the unknown kind '" + kind + "'");
}

}  // namespace tessera
