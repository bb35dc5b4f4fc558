// SPDX-License-Identifier: Apache-2.0
#include "plan/rechunk/route_cache.hpp"

#include "core/api/hash.hpp"

namespace tessera::rechunking {

const std::vector<route>& route_cache::find(const problem& of) {
  ++num_questions_;
  const auto known = routes_.find(of);
  return known != routes_.end() ? known->second
                                : routes_.emplace(of, shortest_routes(of)).first->second;
}

std::size_t route_cache::hash::operator()(const problem& of) const {
  return row_hash().add(of.memory).add(of.shape).add(of.source).add(of.target).value();
}

}  // namespace tessera::rechunking
