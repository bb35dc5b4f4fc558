// SPDX-License-Identifier: Apache-2.0

/// \file
/// Runs the tests on all ranks together. The first rank prints everything, each further rank only
/// its failures.
///
/// usage: mpirun -n 4 TEST [single|serialized|multiple]
///
/// The word is the thread level that MPI is to provide; "funneled" by default.

#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <string_view>

namespace {

/// Tells of failures, with the rank that saw them.
class failure_printer final : public testing::EmptyTestEventListener {
 public:
  explicit failure_printer(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_,
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
};

int thread_level(std::string_view name) {
  if (name == "single") return MPI_THREAD_SINGLE;
  if (name == "serialized") return MPI_THREAD_SERIALIZED;
  if (name == "multiple") return MPI_THREAD_MULTIPLE;
  return MPI_THREAD_FUNNELED;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, thread_level(argv[argc - 1]), &provided);
  testing::InitGoogleMock(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failure_printer(rank));
  }
  int status = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
