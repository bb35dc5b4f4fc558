// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What libraries hold on a worker.

#include "tessera/core/bytes.hpp"
#include "tessera/plan/buffer_schedule.hpp"

namespace tessera {

/// Returns the most that libraries hold on a worker for tasks of `schedule`, when these have ended
/// as well.
///
/// What is allocated at once counts twice, as the heap that it comes from is not given back at once
/// and has holes: pieces of other sizes than those that were freed come to lie beside them.
[[nodiscard]] bytes library_memory(const buffer_schedule& schedule);

}  // namespace tessera
