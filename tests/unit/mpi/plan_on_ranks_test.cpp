// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/mpi.hpp"
#include "tessera/testing/plan_conformance.hpp"

#include "unit/mpi/shared_directory.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <stdexcept>
#include <string>

namespace tessera::testing {
namespace {

/// What a rank computes together with all others.
struct PlanOnRanks : ::testing::Test {
  shared_directory directory;
  plan_setting setting{executors::mpi(), (directory.path() / "work").string()};
};

struct refusing {
  double operator()(double x) const {
    if (x > 50) throw std::runtime_error("no such value");
    return x;
  }
};

TEST_F(PlanOnRanks, ComputesAsSerialDoes) { expect_as_on_serial(anomalies_of_a_product, setting); }

TEST_F(PlanOnRanks, ReadsMemoryAsSerialDoes) { expect_as_on_serial(sums_of_memory, setting); }

TEST_F(PlanOnRanks, StoresAsSerialDoes) { expect_as_on_serial(stored_and_opened, setting); }

TEST_F(PlanOnRanks, FailsOnAllRanks) {
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = setting.spec()});
  EXPECT_THROW((void)map(refusing{}, x).compute(), task_error);
}

TEST_F(PlanOnRanks, RefusesOtherParametersOnAllRanks) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) return;
  const auto x = arange<double>(100.0, {.chunks = {10}, .spec = setting.spec()});
  const double factor = rank == size - 1 ? 3.0 : 2.0;
  EXPECT_THROW((void)(x * factor).compute(), value_error);
}

}  // namespace
}  // namespace tessera::testing
