// SPDX-License-Identifier: Apache-2.0
#include "executor/mpi/ranks.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failure_text.hpp"

#include "executor/mpi/follower.hpp"

namespace tessera::mpi {

namespace {

/// Returns a failure as text, or an empty text if there is none.
std::string text_of(const std::exception_ptr& failure) {
  return failure ? encode_failure(failure) : std::string{};
}

}  // namespace

bool ranks::serve(workload& work) {
  require_own_thread();
  if (is_leader()) return false;
  follow(work, comm_);
  return true;
}

void ranks::conclude(const std::exception_ptr& failure) { send_outcome(text_of(failure)); }

void ranks::meet(const std::exception_ptr& failure) {
  require_own_thread();
  std::string text = text_of(failure);
  if (is_leader()) {
    for (int rank = 1; rank < comm_.size(); ++rank) {
      const message arrived = comm_.wait_for(rank, static_cast<int>(subject::arrival));
      if (text.empty()) text = arrived.text;
    }
    send_outcome(text);
  } else {
    comm_.send(0, {subject::arrival, 0, {}, text});
    text = comm_.wait_for(0, static_cast<int>(subject::outcome)).text;
  }
  if (failure) std::rethrow_exception(failure);
  if (!text.empty()) std::rethrow_exception(decode_failure(text));
}

/// Sends the outcome of a run, or of its end, from the first rank to all further ranks.
void ranks::send_outcome(const std::string& failure) const {
  for (int rank = 1; rank < comm_.size(); ++rank) {
    comm_.send(rank, {subject::outcome, 0, {}, failure});
  }
}

/// Computations of several threads would begin in a different order on each rank, and deadlock. All
/// computations must therefore begin in the same thread.
void ranks::require_own_thread() const {
  if (std::this_thread::get_id() == thread_) return;
  throw value_error(
      "mpi: a computation is asked for by another thread than the one that made the executor; "
      "ask in that thread, or give this one an executor of its own, made in it of a communicator "
      "of its own, and initialise MPI with MPI_THREAD_MULTIPLE");
}

}  // namespace tessera::mpi
