// SPDX-License-Identifier: Apache-2.0
//
// Computations on ranks leave the state of the program as it is.
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/random.hpp"
#include "tessera/executor/mpi.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/mpi/shared_directory.hpp"
#include "unit/runtime/process_state.hpp"

#include <cfenv>
#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

using testing::process_state;

void compute_on(const run_with& settings, const std::string& folder) {
  const spec limits{.work_dir = folder + "/work"};
  const auto x = random::normal<double>({64, 64}, {.chunks = {16, 16}, .spec = limits, .seed = 1});
  store(x, folder + "/x.zarr", settings);
  EXPECT_EQ(sum(ones<double>({8, 8}, {.chunks = {4, 4}, .spec = limits})).compute(settings)(), 64);
  static_cast<void>(mean(x, axis<0>).compute(settings));
  static_cast<void>(matmul(x, x).compute(settings));
  static_cast<void>(var(x).compute(settings));
}

// MPI keeps a thread or a descriptor from the first message on.
TEST(HostProgramsOnRanks, KeepTheirState) {
  const testing::shared_directory directory;
  int unused = 0;
  MPI_Allreduce(MPI_IN_PLACE, &unused, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const process_state before = testing::state_of_process();
  {
    const run_with settings{.executor = executors::mpi()};
    compute_on(settings, directory.path().string());
  }
  const process_state after = testing::state_of_process();
  std::fesetround(FE_TONEAREST);
  testing::expect_same(after, before);
}

}  // namespace
}  // namespace tessera
