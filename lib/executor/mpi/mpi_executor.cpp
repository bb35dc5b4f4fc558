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

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

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
  mpi_executor(MPI_Comm comm, std::size_t count)
      : thread_level_(allowed_thread_level()), comm_(comm), ranks_(comm_) {
    num_workers_ = count > 0 ? count : num_ranks();
    if (num_workers_ > num_ranks()) {
      throw value_error("mpi: " + std::to_string(num_workers_) + " ranks shall run tasks, but " +
                        std::to_string(num_ranks()) + " were started");
    }
    if (num_workers_ < num_ranks() && thread_level_ < MPI_THREAD_FUNNELED) {
      throw value_error(
          "mpi: a part of the ranks can run tasks if MPI is initialised with MPI_THREAD_FUNNELED");
    }
  }

  std::string name() const override {
    return num_workers_ == num_ranks() ? "mpi" : "mpi:" + std::to_string(num_workers_);
  }
  std::size_t num_workers() const override { return num_workers_; }

  executor_traits traits() const override {
    executor_traits traits_of_ranks;
    traits_of_ranks.shares_memory = is_alone();
    traits_of_ranks.shares_host = comm_.is_on_one_host();
    traits_of_ranks.maps_memory = !traits_of_ranks.shares_memory && comm_.maps_memory();
    // The memory of the first rank, which schedules, counts as memory of the scheduler.
    const std::uint64_t count = num_ranks();
    traits_of_ranks.worker_memory = bytes{resident_memory().count() / count * (count - 1)};
    if (traits_of_ranks.shares_host) traits_of_ranks.num_receivers = count;
    return traits_of_ranks;
  }

  std::unique_ptr<executor_session> start(workload& work) override {
    if (group() == nullptr) return executors::serial()->start(work);
    return std::make_unique<leader_session>(work, comm_, num_workers_,
                                            thread_level_ >= MPI_THREAD_FUNNELED);
  }

  tessera::process_group* group() override {
    return is_alone() || is_running_a_task() ? nullptr : &ranks_;
  }

 private:
  [[nodiscard]] bool is_alone() const { return comm_.size() == 1; }
  [[nodiscard]] std::size_t num_ranks() const { return static_cast<std::size_t>(comm_.size()); }

  int thread_level_;
  communicator comm_;
  ranks ranks_;
  std::size_t num_workers_ = 1;  ///< the first ranks
};

void finalize_at_exit() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized == 0) MPI_Finalize();
}

/// Returns the number behind the colon in "mpi:4"; zero of "mpi".
///
/// Throws: value_error <- it is no positive number.
std::size_t count_in(std::string_view text) {
  constexpr std::string_view beginning = "mpi:";
  if (!text.starts_with(beginning)) return 0;
  const std::string_view digits = text.substr(beginning.size());
  std::size_t count = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (failure != std::errc{} || end != digits.data() + digits.size() || count == 0) {
    throw value_error("executor \"" + std::string(text) +
                      "\" does not exist; write \"mpi\", or \"mpi:2\" for the first two of the "
                      "ranks that mpirun started");
  }
  return count;
}

std::shared_ptr<executor> make_by_name(std::string_view text) {
  const std::size_t count = count_in(text);
  if (!is_initialized()) {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    std::atexit(finalize_at_exit);
  }
  return executors::mpi(MPI_COMM_WORLD, count);
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

std::shared_ptr<executor> mpi(MPI_Comm comm, std::size_t count) {
  if (!tessera::mpi::is_initialized()) {
    throw value_error(
        "mpi: MPI is not initialised; call MPI_Init_thread before, or choose the executor by its "
        "name, \"mpi\"");
  }
  if (comm == MPI_COMM_NULL) throw value_error("mpi: the communicator is MPI_COMM_NULL");
  return std::make_shared<tessera::mpi::mpi_executor>(comm, count);
}

}  // namespace tessera::executors
