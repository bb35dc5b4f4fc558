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

/// The rule by which a task that failed is tried again.
struct retry_policy {
  /// The attempts at a task, the first one included.
  int max_attempts = 3;
  /// The pause before the second attempt; twice as long before each further one. Each is drawn from
  /// the upper half of its length, so that tasks that failed together do not come back together.
  std::chrono::milliseconds first_pause{50};
  /// Seeds the drawing.
  std::uint64_t seed = 0;
};

/// The rule by which a task is started once more elsewhere while it runs, as in Cubed.
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
  /// No backup is started of a batch that has run for less: it is not worth while.
  std::chrono::milliseconds at_least{50};
};

/// Tells whether a task that failed with `failure` may succeed when it is tried again.
///
/// Only a `store_error` whose `may_pass()` says so, a `worker_error`, a `timeout_error`, and
/// `std::bad_alloc`: the memory that was missing may have been another task's.
[[nodiscard]] bool may_pass(const std::exception_ptr& failure);

/// Options of the run of a workload.
struct run_options {
  /// The limit for all that runs at once; not set: the memory that the host has.
  std::optional<bytes> host_memory = std::nullopt;
  /// The memory of this process besides the workload: counted against `host_memory` all the time.
  bytes baseline{0};
  /// The memory of a worker on this host besides its tasks, counted likewise; not set: as the
  /// engine's traits tell.
  std::optional<bytes> worker_memory = std::nullopt;
  /// The memory that a worker may use, for observers; zero: not known.
  bytes allowed_memory{};
  /// The memory that is needed once all tasks have ended, as results are read from storage.
  bytes afterwards{0};
  retry_policy retry{};
  backup_policy backups{};
  /// The longest that a task may run; not set: for ever. A batch may run as many times as long as
  /// it has tasks. An executor whose workers cannot be stopped, as threads, lets it run on.
  std::optional<session_time> task_timeout = std::nullopt;
  /// The advice how to go on, for the message of a run that was stopped or that failed.
  std::string how_to_continue{};
  /// The observers of the run; none is null.
  std::vector<std::shared_ptr<observer>> observers{};
  /// A way to stop the run from another thread; an interrupt (interrupt.hpp) stops it as well.
  std::stop_token cancellation{};
};

/// Runs all tasks of `work` on `engine` and returns when the last has ended.
///
/// A task runs once those that it needs have ended (`workload::needs`): operations overlap with the
/// operations that they read. The order is:
/// 1. the last tasks of operations that have begun and are read, no more than workers;
/// 2. tasks of operations that read others, the latest in `work.operations()` first, so that
///    outputs are read soon;
/// 3. tasks of operations that read nothing, in that order;
/// 4. tasks that read little, all of it from storage, compared with the tasks that wrote it.
///
/// Memory:     baseline + what libraries may keep on each worker + the memory of the tasks that run
///             + the resident memory of the operations that have begun never exceeds the host
///             memory. Of the tasks that are handed out, as many as there are workers run at once:
///             the largest of them count. The memory that workers keep from one task for the next
///             is in there, and given back when other work needs the room. Resident memory is held
///             from an operation's begin until its last reader has ended, and to the end of the run
///             if it has no reader.
///             There is no deadlock. Take the operations in one fixed topological order (that of
///             `work.operations()` where `after` permits), one at a time and one task at a time: it
///             is checked before anything runs that this order keeps the limit. An operation begins
///             out of turn only if, from there on, the rest of that order still keeps the limit
///             (the banker's rule). So whenever no task is running, the first operation in the
///             order that has not ended may begin and run a task. One that holds memory begins
///             before its sources have ended only if it leaves room for as many of their tasks, and
///             of its own, as there are workers.
/// Batches:    tasks so small that handing them out would cost more than running them are handed
///             out together, but never so many that a worker stays without.
/// Complexity: O(operations) for each batch; an `after` may be repeated. Nothing is kept for each
///             task: the records of ended tasks, and of readers that wait, grow with the workers.
/// Throws: memory_error <- a task could never run within the host memory, or the memory that is
///         needed afterwards is above it; nothing has run then.
///         task_error <- a task failed and cannot pass, or failed `max_attempts` times; tasks that
///         are running then are let finish. The cause is nested in it.
///         interrupted_error <- an interrupt or a cancellation; running tasks are let finish.
///         value_error <- `after` names an operation that does not exist, or has a cycle.
///         Whatever `work.begin`, `work.end` or an observer throws.
void run(workload& work, executor& engine, const run_options& options = {});

}  // namespace tessera
