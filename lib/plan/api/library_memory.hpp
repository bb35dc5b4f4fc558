// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of libraries on a worker.

#include "tessera/core/bytes.hpp"

#include "plan/api/buffer_schedule.hpp"

namespace tessera {

/// Returns the most that libraries hold on a worker for tasks of `schedule`, when these have ended
/// as well.
///
/// Allocations of one step count twice: the heap does not return them at once and has holes, as
/// blocks of different sizes come to lie beside freed blocks.
[[nodiscard]] bytes library_memory(const buffer_schedule& schedule);

}  // namespace tessera
