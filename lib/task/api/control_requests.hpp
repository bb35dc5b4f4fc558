// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The control requests of a run: for its claims, its checks, its metadata and its marks.

#include "tessera/plan/bounded_plan.hpp"

namespace tessera {

/// Control requests of a run, one behind the other. Requests that are in flight at once count as
/// one.
struct control_round_trips {
  /// Before the first task.
  int before = 0;
  /// Behind the last one.
  int behind = 0;
};

/// Returns the round trips of the first run of a process that stores the results of `plan`; none if
/// no result is far away.
[[nodiscard]] control_round_trips control_round_trips_of(const bounded_plan& plan);

}  // namespace tessera
