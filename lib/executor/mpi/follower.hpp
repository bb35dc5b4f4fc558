// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the ranks do that do not hand out tasks.

#include "tessera/executor/communicator.hpp"
#include "tessera/scheduler/workload.hpp"

namespace tessera::mpi {

/// Runs tasks of the first rank's workload, of which `work` is this rank's own, until its run has
/// ended.
///
/// Throws: what the run has thrown on the first rank.
void follow(workload& work, const communicator& comm);

}  // namespace tessera::mpi
