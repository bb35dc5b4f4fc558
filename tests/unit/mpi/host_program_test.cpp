// SPDX-License-Identifier: Apache-2.0
//
// Computations in a program with OpenMP and MPI leave the state of the program as it is.
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/random.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/mpi.hpp"
#include "tessera/executor/on.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/mpi/shared_directory.hpp"
#include "unit/runtime/process_state.hpp"

#include <cfenv>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
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

/// Runs `body` for 0, 1, ..., n - 1 at once, on the threads of OpenMP.
void loop(std::size_t n, const std::function<void(std::size_t)>& body) {
#pragma omp parallel for num_threads(static_cast <int>(n)) schedule(static, 1)
  for (std::size_t i = 0; i < n; ++i) body(i);
}

void expect_same_state_after(const std::function<std::shared_ptr<executor>()>& make_engine,
                             const std::string& folder) {
  // A rounding mode of the program is no default one.
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const process_state before = testing::state_of_process();
  compute_on({.executor = make_engine()}, folder);
  const process_state after = testing::state_of_process();
  std::fesetround(FE_TONEAREST);
  testing::expect_same(after, before);
}

// MPI keeps a thread or a descriptor from the first message on, and OpenMP its threads from the
// first loop on.
TEST(HostProgramsOnRanks, KeepTheirState) {
  const testing::shared_directory directory;
  const std::string folder = directory.path().string();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int unused = 0;
  MPI_Allreduce(MPI_IN_PLACE, &unused, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  loop(3, [](std::size_t) {});
  const std::string of_rank = folder + "/rank" + std::to_string(rank);
  expect_same_state_after(executors::serial, of_rank + "/serial");
  expect_same_state_after([] { return executors::on(3, loop); }, of_rank + "/on");
  expect_same_state_after([] { return executors::mpi(); }, folder);
}

}  // namespace
}  // namespace tessera
