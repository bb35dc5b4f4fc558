// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that is left for tasks.

#include "tessera/core/bytes.hpp"

#include "plan/api/planned.hpp"

namespace tessera {

/// Returns the memory that a task of `plan` may use so that all workers run tasks at once, beside
/// the arrays in memory that operations need in turn; on other hosts, the allowed memory. It is at
/// least the memory of its tasks.
[[nodiscard]] bytes room_for_task(const bounded_plan::implementation& plan);

}  // namespace tessera
