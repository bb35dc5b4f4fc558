// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs a batch in the calling thread: shared by the engines inside this process.

#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/executor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace tessera {

/// A batch that was submitted and has not started.
struct submission {
  task_batch batch;
  std::uint64_t ticket = 0;
};

/// Returns the time of the steady clock, which all processes of a host share.
inline std::int64_t steady_nanoseconds() {
  return session_time(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The clock of a session on this host.
class session_clock {
 public:
  [[nodiscard]] session_time now() const { return std::chrono::steady_clock::now() - start_; }
  [[nodiscard]] std::chrono::steady_clock::time_point at(session_time time) const {
    return start_ + time;
  }
  [[nodiscard]] session_time since_start(std::int64_t steady) const {
    return session_time{steady} - start_.time_since_epoch();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Runs the tasks of a batch in order, up to the first that fails.
inline task_completion run_batch(workload& work, const submission& submitted, std::size_t worker,
                                 const session_clock& clock) {
  task_completion completion{submitted.ticket, 0, nullptr, worker, clock.now(), {}};
  const task_batch& batch = submitted.batch;
  const traffic before = traffic_of_thread();
  try {
    work.run_in_order(batch.operation, {batch.first, batch.first + batch.count}, worker,
                      completion.done);
  } catch (...) {
    completion.failure = std::current_exception();
  }
  completion.ended = clock.now();
  completion.moved = traffic_of_thread().since(before);
  return completion;
}

}  // namespace tessera
