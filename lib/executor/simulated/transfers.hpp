// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The transfers of a simulated task between memory and storage.
///
/// A task with writes in flight writes while it reads on:
///
///     | reads, and all writes but the last ones | last writes |
///
/// The last writes are as many as are in flight at once: they begin when all is read.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/workload.hpp"

#include "executor/simulated/store.hpp"

namespace tessera {

/// Returns the transfer during which a task reads. Connections of reads and of writes each take
/// their share: the longer one determines the time.
[[nodiscard]] simulated_transfer transfer_while_reading(const workload_operation& operation);

/// Returns the transfer of the writes that are left when the task has read all.
[[nodiscard]] simulated_transfer transfer_of_last_writes(const workload_operation& operation);

/// Returns the part of the time `computing` that is left behind the reads, which took `reading`: a
/// task with reads in flight computes while it reads, except for the last one.
[[nodiscard]] session_time time_behind_reads(const workload_operation& operation,
                                             session_time computing, session_time reading);

}  // namespace tessera
