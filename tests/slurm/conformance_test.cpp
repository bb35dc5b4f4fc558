// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/executor_conformance.hpp"
#include "tessera/testing/plan_conformance.hpp"

#include "slurm/cluster.hpp"

namespace tessera::testing {
namespace {

const bool is_registered =
    register_executor_conformance("slurm4", [] { return executors::slurm(quick_options(4)); },
                                  {.shares_memory = false,
                                   .shares_host = false,
                                   .replaces_workers = true,
                                   .stops_workers = true,
                                   .limits_memory = true});

const bool is_registered_for_plans =
    register_plan_conformance("slurm4", [] { return executors::slurm(quick_options(4)); });

}  // namespace
}  // namespace tessera::testing
