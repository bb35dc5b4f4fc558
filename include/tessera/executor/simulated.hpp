// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An engine that only simulates: the scheduler's decisions on a virtual clock, without computing.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/executor/random_time.hpp"
#include "tessera/scheduler/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Tasks that take far longer than others of their kind.
struct straggler_rate {
  /// The probability that a task is one.
  double probability = 0;
  /// The factor of its time.
  double slowness = 1;

  [[nodiscard]] bool operator==(const straggler_rate&) const = default;
};

/// The time of an operation's tasks over the time that the other options give them.
struct operation_slowness {
  /// The label of the operation, and the element steps for each request of a task, or of the task
  /// if it makes none. Between two sizes the factor is interpolated, by the logarithm of the steps.
  std::string label;
  double element_steps = 0;
  /// The median of the factor of a task, and the standard deviation of its logarithm.
  double median = 1;
  double sigma = 0;

  [[nodiscard]] bool operator==(const operation_slowness&) const = default;
};

/// The workers that are simulated, and the store that they share. In the executor's name, each
/// option is `<member>=<value>`, in the form that is shown here.
struct simulated_options {
  /// The number of workers: "workers=1000".
  std::size_t workers = 1;
  /// From the begin of a computation until a worker takes its first batch, and from the loss of a
  /// worker until another one has taken its place: "start_up=2s".
  random_time start_up{};
  /// The time of handing a batch to a worker: "batch_overhead=10us".
  session_time batch_overhead{};
  /// The time of each task, besides its requests: "task_time=lognormal(100ms,0.3)". The other forms
  /// are "100ms", "uniform(80ms,120ms)", "normal(100ms,10ms)" and "exponential(100ms)".
  random_time task_time{};
  /// The time that each step of its program on an element adds to that; drawn once a task:
  /// "element_step=2ns".
  random_time element_step{};
  /// The time that each request of a task adds to that, besides the store's: "request_time=20us".
  session_time request_time{};
  /// The factors of operations, as runs measured them; 1 for others. Names have no form of it.
  std::vector<operation_slowness> slowness{};
  /// "stragglers=0.01x5": one task in a hundred takes five times as long.
  straggler_rate stragglers{};
  /// The time of a request before its first byte: "latency=20ms". A task makes a request for each
  /// chunk that it reads or writes, one after the other.
  session_time latency{};
  /// The most that one request moves in a second; zero: no limit. "bandwidth=100MB/s".
  bytes bandwidth{};
  /// The most that a worker decodes of the bytes it reads, and encodes of those it writes, in a
  /// second, if that is less; zero: no limit. "read_bandwidth=100MB/s", "write_bandwidth=50MB/s".
  bytes read_bandwidth{};
  bytes write_bandwidth{};
  /// The bytes that a worker moves in its memory in a second; zero: no limit.
  /// "memory_bandwidth=8GB/s".
  bytes memory_bandwidth{};
  /// The most that all requests together move in a second; zero: no limit. They share it evenly.
  /// "total_bandwidth=10GB/s".
  bytes total_bandwidth{};
  /// The requests that are served at once; more requests wait. Zero: no limit. "max_requests=500".
  std::size_t max_requests = 0;
  /// The probability that a task fails, at its end, for a reason that may pass: "failures=0.001".
  double failures = 0;
  /// The probability that a worker is lost while it runs a task, somewhere in its time:
  /// "lost_workers=0.0001".
  double lost_workers = 0;
  /// Whether the workers are threads of this process, which share its memory and cannot be stopped
  /// while they run a task; else they are processes on other hosts. "in_process=yes".
  bool in_process = false;
  /// Seeds all draws: "seed=1". The draws for an attempt of a task depend on nothing but the seed,
  /// so that runs with more workers or another store have the same tasks.
  std::uint64_t seed = 0;

  /// Returns `workers` workers with the costs of `figures`.
  [[nodiscard]] static simulated_options of(const costs& figures, std::size_t workers);

  [[nodiscard]] bool operator==(const simulated_options&) const = default;
};

/// Reads the options that stand behind the colon in `name`: "simulated:workers=10,seed=1".
///
/// Throws: value_error <- there is no such option, or its value has another form.
[[nodiscard]] simulated_options parse_simulated_options(std::string_view name);

namespace executors {

/// Returns an executor that computes nothing: it tells the scheduler at a virtual time that a batch
/// has ended, as workers such as `options` describe would have. Waiting costs no time.
///
/// By name: "simulated:workers=1000,start_up=2s,task_time=lognormal(100ms,0.3)".
///
/// Throws:     value_error <- there is no worker, a probability is not in [0, 1], or a straggler is
///             faster than others.
/// Complexity: O(log(workers)) for each task.
[[nodiscard]] std::shared_ptr<executor> simulated(const simulated_options& options);

}  // namespace executors
}  // namespace tessera
