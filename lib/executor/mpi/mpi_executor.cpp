// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executor.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/mpi.hpp"

#include "executor/failure_text.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/follower.hpp"
#include "executor/mpi/leader.hpp"
#include "executor/mpi/local_worker.hpp"

#include <cstdlib>
#include <string>

namespace tessera::mpi {

namespace {

bool is_initialized() {
  int answer = 0;
  check(MPI_Initialized(&answer), "MPI_Initialized");
  return answer != 0;
}

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

class mpi_executor final : public executor {
 public:
  explicit mpi_executor(MPI_Comm comm) : comm_(comm), thread_level_(thread_level()) {}

  std::string name() const override { return "mpi"; }
  std::size_t num_workers() const override { return static_cast<std::size_t>(comm_.size()); }

  executor_traits traits() const override {
    executor_traits own;
    own.shares_memory = is_alone();
    own.shares_host = comm_.is_on_one_host();
    own.worker_memory = is_alone() ? bytes{} : resident_memory();
    return own;
  }

  std::unique_ptr<executor_session> start(workload& work) override {
    if (is_alone() || is_running_a_task()) return executors::serial()->start(work);
    require_thread();
    return std::make_unique<leader_session>(work, comm_, thread_level_ >= MPI_THREAD_FUNNELED);
  }

  bool serve(workload& work) override {
    if (comm_.rank() == 0 || is_running_a_task()) return false;
    require_thread();
    follow(work, comm_);
    return true;
  }

  void conclude(const std::exception_ptr& failure) override {
    if (is_running_a_task()) return;
    const message outcome{subject::outcome, 0, {}, failure ? encode_failure(failure) : ""};
    for (int rank = 1; rank < comm_.size(); ++rank) comm_.send(rank, outcome);
  }

  void meet() override {
    if (!is_running_a_task()) comm_.meet();
  }

 private:
  [[nodiscard]] bool is_alone() const { return comm_.size() == 1; }

  void require_thread() const {
    int is_main = 0;
    check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    if (is_main == 0 && thread_level_ < MPI_THREAD_SERIALIZED) {
      throw value_error(
          "mpi: a computation was asked for by a thread that did not initialise MPI; ask in that "
          "thread, or initialise MPI with MPI_THREAD_SERIALIZED");
    }
  }

  communicator comm_;
  int thread_level_;
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
/// Every program that links the library has this object for its name's sake.
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
