// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether an operation reads chunks from storage.

#include "tessera/core/spec.hpp"

#include "plan/graph.hpp"

namespace tessera {

/// Tells whether tasks of `v` may read chunks. If not, `estimate` yields no bytes read and no
/// chunks.
[[nodiscard]] bool may_read_chunks(const array_graph& graph, vertex v, const spec& limits);

}  // namespace tessera
