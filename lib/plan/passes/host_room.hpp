// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of a host for arrays between operations.

#include "tessera/core/bytes.hpp"

#include "plan/build.hpp"
#include "plan/graph.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/reason.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

/// Returns the memory that the host has for its tasks and for arrays between operations; 0 if these
/// arrays go to storage.
[[nodiscard]] inline bytes room_on_host(const array_graph& graph, const pass_context& context) {
  if (context.workers == nullptr) return {};
  return host_limit(context.limits, *context.workers, context.limits.allowed_memory, {},
                    graph[boost::graph_bundle].installed_memory);
}

/// Returns a refusal to compute `array` in each of its readers if the host may have room for it: it
/// is then computed once, and its inputs are read once. If it is stored nevertheless, the search
/// plans again without this exception.
[[nodiscard]] inline reason check_memory_room(plan_graph& plan, vertex array, bytes room) {
  const std::size_t serial = plan.graph[array].serial;
  const bool is_recomputed = std::ranges::find(plan.recomputed, serial) != plan.recomputed.end();
  const bytes size = array_at(plan.graph, array).size();
  if (size > room || is_recomputed) return nullptr;
  plan.left_for_memory.push_back(serial);
  return {"the output of {op} may stay in memory for {partner} and other readers", "{} of {}", size,
          room};
}

}  // namespace tessera
