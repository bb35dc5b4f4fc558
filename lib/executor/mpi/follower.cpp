// SPDX-License-Identifier: Apache-2.0
#include "executor/mpi/follower.hpp"

#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/run_batch.hpp"
#include "tessera/scheduler/team.hpp"

#include "executor/mpi/local_worker.hpp"

#include <cstddef>
#include <exception>
#include <string>

namespace tessera::mpi {

namespace {

/// Returns why `work` cannot run tasks of the run that it is invited to; nothing if it can.
std::string join(workload& work, const message& order) {
  const auto kind_size = static_cast<std::size_t>(order.numbers[0]);
  try {
    teamwork_of(work).join({order.text.substr(0, kind_size), order.text.substr(kind_size + 1)});
  } catch (...) {
    return encode_failure(std::current_exception());
  }
  return {};
}

message run(workload& work, const message& order, std::size_t worker, const session_clock& clock) {
  const auto [ticket, operation, first, count] = order.numbers;
  submission what{{static_cast<std::size_t>(operation), first, count},
                  static_cast<std::uint64_t>(ticket)};
  what.batch.may_keep = order.text != gives_back;
  const task_completion completion = run_here(work, what, worker, clock);
  const session_time duration = completion.ended - completion.started;
  return {subject::answer,
          0,
          {ticket, completion.done, duration.count(), 0},
          completion.failure ? encode_failure(completion.failure) : std::string{}};
}

}  // namespace

void follow(workload& work, const communicator& comm) {
  const session_clock clock;
  const auto worker = static_cast<std::size_t>(comm.rank());
  bool is_cancelled = false;
  while (true) {
    const message order = comm.wait_for(0);
    switch (order.about) {
      case subject::invitation:
        is_cancelled = false;
        comm.send(0, {subject::answer, 0, {}, join(work, order)});
        break;
      case subject::batch:
        // A cancellation overtakes the batches that were sent before it.
        is_cancelled |= comm.receive(0, static_cast<int>(subject::cancel)).has_value();
        comm.send(0, is_cancelled ? message{subject::answer, 0, {order.numbers[0]}, {}}
                                  : run(work, order, worker, clock));
        break;
      case subject::cancel:
        is_cancelled = true;
        break;
      case subject::answer:
      case subject::arrival:
        break;
      case subject::outcome:
        if (!order.text.empty()) std::rethrow_exception(decode_failure(order.text));
        return;
    }
  }
}

}  // namespace tessera::mpi
