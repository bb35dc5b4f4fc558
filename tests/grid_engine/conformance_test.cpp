// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/executor_conformance.hpp"

#include "grid_engine/cluster.hpp"

namespace tessera::testing {
namespace {

const bool is_registered = register_executor_conformance(
    "grid_engine4", [] { return executors::grid_engine(quick_options(4)); },
    {.shares_memory = false,
     .shares_host = false,
     .replaces_workers = true,
     .starts_a_worker_a_batch = true,
     .stops_workers = true,
     .limits_memory = true});

}  // namespace
}  // namespace tessera::testing
