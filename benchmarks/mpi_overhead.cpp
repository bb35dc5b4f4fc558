// SPDX-License-Identifier: Apache-2.0

/// \file
/// What handing out a task costs between the ranks of an MPI program.
///
/// usage: mpirun -n 4 mpi_overhead [TASKS]
///
/// Prints the time for each of TASKS (100,000) tasks that do nothing, each handed out alone, best
/// of five runs; it is to stay below 20 microseconds with four ranks on one host.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string>
#include <tessera/executor/executor.hpp>
#include <tessera/executor/mpi.hpp>
#include <tessera/executor/scheduler.hpp>
#include <vector>

namespace {

namespace ts = tessera;

/// Tasks that do nothing and say that they are long, so that each is a batch of its own.
class empty_tasks final : public ts::workload {
 public:
  explicit empty_tasks(ts::index_t num_tasks) {
    operations_[0].name = "nothing";
    operations_[0].num_tasks = num_tasks;
    operations_[0].elements_per_task = ts::index_t{1} << 40;
  }
  const std::vector<ts::workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, ts::index_t, std::size_t) override {}
  void end(std::size_t) override {}
  std::string describe(std::size_t, ts::index_t) const override { return "nothing"; }
  ts::workload_recipe recipe() override { return {"nothing", ""}; }
  void join(const ts::workload_recipe&) override {}

 private:
  std::vector<ts::workload_operation> operations_{1};
};

double seconds_of_a_run(ts::executor& engine, ts::index_t num_tasks) {
  empty_tasks work(num_tasks);
  engine.meet(nullptr);
  const auto start = std::chrono::steady_clock::now();
  ts::run(work, engine);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const ts::index_t num_tasks = argc > 1 ? std::atoll(argv[1]) : 100'000;
  {
    const auto engine = ts::executors::mpi();
    double best = seconds_of_a_run(*engine, num_tasks);
    for (int round = 1; round < 5; ++round) {
      best = std::min(best, seconds_of_a_run(*engine, num_tasks));
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::printf("%zu ranks: %.2f microseconds a task\n", engine->num_workers(),
                  best / static_cast<double>(num_tasks) * 1e6);
    }
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
