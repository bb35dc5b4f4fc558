// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/memory.hpp"
#include "tessera/testing/executor_conformance.hpp"
#include "tessera/testing/plan_conformance.hpp"

#include "slurm/cluster.hpp"
#include "unit/plan/random_placement.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace tessera::testing {
namespace {

const bool is_registered =
    register_executor_conformance("slurm4", [] { return executors::slurm(quick_options(4)); },
                                  {.shares_memory = false,
                                   .shares_host = false,
                                   .replaces_workers = true,
                                   .starts_a_worker_a_batch = true,
                                   .stops_workers = true,
                                   .limits_memory = true});

const bool is_registered_for_plans =
    register_plan_conformance("slurm4", [] { return executors::slurm(quick_options(4)); });

// Few programs: each operation waits for its jobs.
TEST(PlacementOnSlurm, KeepsEveryHostMemoryAndNeverWaitsForEver) {
  const std::uint64_t seed = std::random_device{}();
  const plan_setting in(executors::slurm(quick_options(4)));
  spec limits = in.spec();
  limits.allowed_memory = bytes{600'000};
  for (std::uint64_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(seed + i);
    limits.host_memory = memory_with_code() * 5 + bytes{500'000 + (seed + i) * 7919 % 4'500'000};
    const placement placed = place(program_of(seed + i), limits, in.settings().executor);
    EXPECT_EQ(placed.fault, "");
    EXPECT_FALSE(placed.is_refused);
  }
}

}  // namespace
}  // namespace tessera::testing
