// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The scheduler: which task runs when, on any executor, under a bound on the host's memory.

#include "tessera/core/bytes.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/workload.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tessera {

/// When a task that failed is tried again.
struct retry_policy {
  /// How often a task is tried in all.
  int max_attempts = 3;
  /// The pause before the second attempt; twice as long before each further one. Each is drawn from
  /// the upper half of its length, so that tasks that failed together do not come back together.
  std::chrono::milliseconds first_pause{50};
  /// Seeds the drawing.
  std::uint64_t seed = 0;
};

/// When a task is started once more elsewhere while it runs: Cubed's rule.
///
/// Tasks that are handed out together are one task here, which takes as long as they take on
/// average. A backup of a task is started if a worker is idle, at least `min_started` tasks of its
/// operation were started, more than `ceil(fraction_ended * started) - 1` have ended, and it has
/// run for more than `slowness` times the duration at that rank; one backup a task. The first to
/// end counts.
struct backup_policy {
  bool is_on = true;
  index_t min_started = 10;
  double fraction_ended = 0.5;
  double slowness = 3;
  /// No backup is started of what has run for less: it is not worth while.
  std::chrono::milliseconds at_least{50};
};

/// Tells whether what failed with `failure` may succeed when it is tried again.
///
/// Only a `store_error` whose `may_pass()` says so, a `worker_error`, a `timeout_error`, and
/// `std::bad_alloc`: the memory that was missing may have been another task's.
[[nodiscard]] bool may_pass(const std::exception_ptr& failure);

/// How a workload is run.
struct run_options {
  /// The limit for all that runs at once; not set: the memory that the host has.
  std::optional<bytes> host_memory = std::nullopt;
  /// Where that is not set: the limit on top of what this process and its workers use by
  /// themselves, of which nobody else knows how much it is just then.
  std::optional<bytes> room = std::nullopt;
  /// What this process uses besides the workload: counted against `host_memory` all the time.
  bytes baseline{0};
  /// What is needed once all tasks have ended, as results are read from where they were stored.
  bytes afterwards{0};
  retry_policy retry{};
  backup_policy backups{};
  /// The longest that a task may run; not set: for ever. A batch may run as many times as long as
  /// it has tasks. An executor whose workers cannot be stopped, as threads, lets it run on.
  std::optional<session_time> task_timeout = std::nullopt;
  /// What the message of a run that was stopped or that failed says of how to go on.
  std::string how_to_continue{};
  /// Who watches; none is null.
  std::vector<std::shared_ptr<observer>> observers{};
  /// A way to stop the run from another thread; an interrupt (interrupt.hpp) stops it as well.
  std::stop_token cancellation{};
};

/// Runs all tasks of `work` on `engine` and returns when the last has ended.
///
/// A task runs once those that it needs have ended (`workload::needs`): operations overlap with
/// what they read from. First come the last tasks of what has begun and is read, no more than
/// workers; then those of operations that read from others, the latest in `work.operations()`
/// first, so that what is made is read soon; those that read nothing, in that order; and at last
/// those that read little, all of it from storage, against what those that made it have read.
///
/// Memory:     baseline + what libraries may keep on each worker + the memory of the tasks that run
///             + the resident memory of the operations that have begun never exceeds the host
///             memory. Of the tasks that are handed out, as many as there are workers run at once:
///             the largest of them count. What workers keep from one task for the next is in there,
///             and given back where something else needs the room. Resident memory is held from an
///             operation's begin until its last reader has ended, and to the end of the run where
///             nothing reads it.
///             There is no deadlock. Take the operations in one fixed topological order (that of
///             `work.operations()` where `after` permits), one at a time and one task at a time: it
///             is checked before anything runs that this order keeps the limit. An operation begins
///             out of turn only if, from there on, the rest of that order still keeps the limit
///             (the banker's rule). So whenever no task is running, the first operation in the
///             order that has not ended may begin and run a task. One that holds memory begins
///             before those that it reads from have ended only where it leaves room for as many of
///             their tasks, and of its own, as there are workers.
/// Batches:    tasks so small that handing them out would cost more than running them are handed
///             out together, but never so many that a worker stays without.
/// Complexity: O(operations) for each batch; an `after` may be repeated. Nothing is kept for each
///             task: what is kept of those that have ended, and of readers that wait for others,
///             grows with the workers.
/// Throws: memory_error <- a task could never run within the host memory, or what is needed
///         afterwards is above it; nothing has run then.
///         task_error <- a task failed and cannot pass, or failed `max_attempts` times; tasks that
///         are running then are let finish. The cause is nested in it.
///         interrupted_error <- an interrupt or a cancellation; running tasks are let finish.
///         value_error <- `after` names an operation that does not exist, or has a cycle.
///         Whatever `work.begin`, `work.end` or an observer throws.
void run(workload& work, executor& engine, const run_options& options = {});

}  // namespace tessera
