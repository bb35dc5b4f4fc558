// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/communicator.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/mpi.hpp"
#include "tessera/scheduler/executor.hpp"

#include "executor/mpi/leader.hpp"
#include "executor/mpi/local_worker.hpp"
#include "executor/mpi/ranks.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tessera::mpi {

namespace {

bool is_initialized() {
  int answer = 0;
  check(MPI_Initialized(&answer), "MPI_Initialized");
  return answer != 0;
}

/// Returns the level of thread support of MPI.
///
/// Throws: value_error <- this thread may not call MPI.
int allowed_thread_level() {
  int level = MPI_THREAD_SINGLE;
  int is_main = 0;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
  if (is_main == 0 && level < MPI_THREAD_SERIALIZED) {
    throw value_error(
        "mpi: the executor is made by a thread that may not call MPI; make it in the thread that "
        "initialised MPI, or initialise MPI with MPI_THREAD_SERIALIZED");
  }
  return level;
}

class mpi_executor final : public executor {
 public:
  explicit mpi_executor(MPI_Comm comm)
      : thread_level_(allowed_thread_level()), comm_(comm), ranks_(comm_) {}

  std::string name() const override { return "mpi"; }
  std::size_t num_workers() const override { return static_cast<std::size_t>(comm_.size()); }

  executor_traits traits() const override {
    executor_traits traits_of_ranks;
    traits_of_ranks.shares_memory = is_alone();
    traits_of_ranks.shares_host = comm_.is_on_one_host();
    traits_of_ranks.maps_memory = !traits_of_ranks.shares_memory && comm_.maps_memory();
    // The memory of the first rank, which schedules, counts as memory of the scheduler.
    const std::uint64_t num_ranks = num_workers();
    traits_of_ranks.worker_memory = bytes{resident_memory().count() / num_ranks * (num_ranks - 1)};
    if (traits_of_ranks.shares_host) traits_of_ranks.num_receivers = num_ranks;
    return traits_of_ranks;
  }

  std::unique_ptr<executor_session> start(workload& work) override {
    if (group() == nullptr) return executors::serial()->start(work);
    return std::make_unique<leader_session>(work, comm_, thread_level_ >= MPI_THREAD_FUNNELED);
  }

  tessera::process_group* group() override {
    return is_alone() || is_running_a_task() ? nullptr : &ranks_;
  }

 private:
  [[nodiscard]] bool is_alone() const { return comm_.size() == 1; }

  int thread_level_;
  communicator comm_;
  ranks ranks_;
};

void finalize_at_exit() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized == 0) MPI_Finalize();
}

std::shared_ptr<executor> make_by_name(std::string_view text) {
  if (text != "mpi") {
    throw value_error("executor \"" + std::string(text) +
                      "\" does not exist; \"mpi\" takes no number of workers: they are the ranks "
                      "that mpirun started");
  }
  if (!is_initialized()) {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    std::atexit(finalize_at_exit);
  }
  return executors::mpi();
}

}  // namespace

}  // namespace tessera::mpi

extern "C" {
/// The component's linker option `--undefined` names this symbol, so that static libraries link
/// this object.
extern const bool tessera_mpi_is_registered;
const bool tessera_mpi_is_registered =
    tessera::register_executor("mpi", tessera::mpi::make_by_name);
}

namespace tessera::executors {

std::shared_ptr<executor> mpi(MPI_Comm comm) {
  if (!tessera::mpi::is_initialized()) {
    throw value_error(
        "mpi: MPI is not initialised; call MPI_Init_thread before, or choose the executor by its "
        "name, \"mpi\"");
  }
  if (comm == MPI_COMM_NULL) throw value_error("mpi: the communicator is MPI_COMM_NULL");
  return std::make_shared<tessera::mpi::mpi_executor>(comm);
}

}  // namespace tessera::executors
