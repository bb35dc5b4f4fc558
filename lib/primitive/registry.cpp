// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/parse.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera {

namespace {

/// The library's own, which every program knows, and those that were registered.
std::map<std::string, primitive_factory>& known_primitives() {
  static std::map<std::string, primitive_factory> known{
      {"copy", detail::parse_copy},         {"strips", detail::parse_strips},
      {"blocks", detail::parse_blocks},     {"epilogue", detail::parse_epilogue},
      {"prologue", detail::parse_prologue}, {"held", detail::parse_held},
      {"cascade", detail::parse_cascade}};
  return known;
}

}  // namespace

double primitive::element_steps(const walk& how) const {
  double steps = std::max(1.0, weight());
  for (const index_t extent : how.domain) steps *= static_cast<double>(extent);
  return steps;
}

bool equal(const primitive& a, const primitive& b) { return a.kind() == b.kind() && a.equals(b); }

bool register_primitive(const std::string& kind, primitive_factory make) {
  known_primitives().insert_or_assign(kind, std::move(make));
  return true;
}

primitive_handle parse_primitive(const std::string& kind, const std::string& json) {
  const auto found = known_primitives().find(kind);
  if (found != known_primitives().end()) return found->second(json);
  throw value_error("found an operation of the unknown kind '" + kind + "'");
}

}  // namespace tessera
