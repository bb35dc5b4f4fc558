// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of a host for arrays between operations.

#include "tessera/core/bytes.hpp"

#include "plan/build.hpp"
#include "plan/graph.hpp"
#include "plan/passes/passes.hpp"

namespace tessera {

/// Returns the memory that the host has for its tasks and for arrays between operations; 0 if these
/// arrays go to storage.
[[nodiscard]] inline bytes room_on_host(const array_graph& graph, const pass_context& context) {
  if (context.workers == nullptr) return {};
  return host_limit(context.limits, *context.workers, context.limits.allowed_memory, {},
                    graph[boost::graph_bundle].installed_memory);
}

}  // namespace tessera
