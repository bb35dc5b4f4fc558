// SPDX-License-Identifier: Apache-2.0
#include "core/api/registry.hpp"

#include "tessera/core/error.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/parse.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

detail::registry<primitive_factory>& factories() {
  static auto& table = *new detail::registry<primitive_factory>{{"copy", detail::parse_copy},
                                                                {"strips", detail::parse_strips},
                                                                {"scans", detail::parse_scans},
                                                                {"blocks", detail::parse_blocks},
                                                                {"stages", detail::parse_stages}};
  return table;
}

}  // namespace

double primitive::element_steps(const loop_schedule& schedule) const {
  double steps = std::max(1.0, weight());
  for (const index_t extent : schedule.domain) steps *= static_cast<double>(extent);
  return steps;
}

bool equal(const primitive& a, const primitive& b) { return a.kind() == b.kind() && a.equals(b); }

bool register_primitive(const std::string& kind, primitive_factory make) {
  return factories().replace(kind, std::move(make));
}

primitive_handle parse_primitive(const std::string& kind, const std::string& json) {
  if (const primitive_factory* make = factories().find(kind)) return (*make)(json);
  throw value_error("an operation has the unknown kind '" + kind + "'" +
                    factories().suggestion(kind));
}

}  // namespace tessera
