// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The common schedules of operations over one domain that share a view: the rules of
/// `fuse_siblings`.

#include "tessera/primitive/loop_schedule.hpp"

#include "plan/graph.hpp"
#include "plan/passes/reason.hpp"

#include <cstddef>

namespace tessera {

/// Tells whether both operations fold, over different axes.
[[nodiscard]] bool reduce_different_axes(const operation& first, const operation& second);

/// Returns the schedule of the operation that fuses `first` and `second`.
[[nodiscard]] loop_schedule common_schedule(const operation& first, const operation& second);

/// Returns a refusal if `a` and `b`, which have one domain, have no common schedule.
[[nodiscard]] reason check_schedules(const array_graph& graph, vertex a, vertex b,
                                     std::size_t num_workers);

}  // namespace tessera
