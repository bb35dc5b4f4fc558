// SPDX-License-Identifier: Apache-2.0
#include "executor/mpi/follower.hpp"

#include "tessera/executor/memory.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "core/api/host_name.hpp"
#include "executor/mpi/local_worker.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace tessera::mpi {

namespace {

constexpr session_time shortest_measured = std::chrono::milliseconds(1);

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// Lets `work` join the run of the invitation `order`. Returns the answer: one and the failure as
/// text, or zero and the host if it has joined.
message join(workload& work, const message& order) {
  const auto kind_size = static_cast<std::size_t>(order.numbers[0]);
  try {
    group_work_of(work).join({order.text.substr(0, kind_size), order.text.substr(kind_size + 1)});
  } catch (...) {
    return {subject::answer, 0, {1}, encode_failure(std::current_exception())};
  }
  return {subject::answer, 0, {0}, host_name()};
}

message run(workload& work, const message& order, std::size_t worker, const session_clock& clock) {
  const auto& numbers = order.numbers;
  submission ordered{{static_cast<std::size_t>(numbers[1]), numbers[2], numbers[3]},
                     static_cast<std::uint64_t>(numbers[0])};
  ordered.batch.may_keep = order.text != gives_back;
  const task_completion completion = run_here(work, ordered, worker, clock);
  const session_time duration = completion.ended - completion.started;
  const traffic moved = completion.moved.value_or(traffic{});
  // The system takes as long to tell the memory as a short batch runs. The peak counts from the
  // last batch that was measured.
  bytes memory{};
  if (duration > shortest_measured) {
    memory = peak_memory();
    reset_peak_memory();
  }
  return {
      subject::answer,
      0,
      {numbers[0], completion.done, duration.count(), signed_of(memory.count()),
       signed_of(moved.read.count()), signed_of(moved.written.count()), signed_of(moved.requests),
       signed_of(moved.encoded_read.count()), signed_of(moved.encoded_written.count()),
       moved.storage_time.count(), moved.codec_time.count()},
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
        reset_peak_memory();
        comm.send(0, join(work, order));
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
