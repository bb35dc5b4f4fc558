// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loop of the ranks that run tasks for the first rank.

#include "tessera/executor/communicator.hpp"
#include "tessera/scheduler/workload.hpp"

namespace tessera::mpi {

/// Runs tasks of the first rank's workload until the run has ended. `work` is the same workload on
/// this rank.
///
/// Throws: the exception of the run on the first rank.
void follow(workload& work, const communicator& comm);

}  // namespace tessera::mpi
