// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The small process that worker processes are forked from.

#include "tessera/core/bytes.hpp"

#include "executor/descriptor.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <sys/types.h>

namespace tessera {

/// What the zygote is asked for, and its answer.
struct zygote_request {
  enum class kind { fork, wait_for_end } what = kind::fork;
  pid_t worker = 0;
};
struct zygote_answer {
  pid_t worker = 0;  ///< negative where the system starts no more processes
  int status = 0;    ///< to `wait_for_end`: as of waitpid; else the system's error
  /// In the first, which is not asked for: what the zygote holds, and whether it can map what the
  /// process that made it has in shared memory.
  std::uint64_t memory = 0;
  bool maps_memory = false;
};

/// The small process that worker processes are forked from: this program, started once more, that
/// got no further than the making of its runtime.
///
/// A fork of the process that schedules would have a copy of its threads' locks, and share its
/// memory page by page. All workers end with their zygote, and it with the process that made it,
/// however that ends: its socket's end says so.
///
/// Threads: all members may be called from several threads.
class zygote {
 public:
  /// Throws: value_error <- the program has not made a runtime; worker_error <- the program could
  ///         not be started once more.
  zygote();
  zygote(const zygote&) = delete;
  zygote& operator=(const zygote&) = delete;
  ~zygote();

  /// Returns what a worker holds before any data.
  [[nodiscard]] bytes worker_memory() const { return worker_memory_; }

  /// Tells whether workers can map what this process makes in shared memory.
  [[nodiscard]] bool maps_memory() const { return maps_memory_; }

  /// Starts a worker that serves the page in the file `page` and listens to `socket`.
  ///
  /// Throws: worker_error <- the system refuses, or the zygote is gone.
  [[nodiscard]] pid_t fork_worker(int socket, int page);

  /// Waits until a worker has ended, and returns its status, as of waitpid; nothing where the
  /// zygote is gone. It is called once for each worker, which keeps its number until then.
  [[nodiscard]] std::optional<int> wait_for_end(pid_t worker);

 private:
  [[nodiscard]] bool ask(const zygote_request& request, std::span<const int> files,
                         zygote_answer& answer);

  std::mutex mutex_;
  descriptor socket_;
  pid_t pid_ = 0;
  bytes worker_memory_{};
  bool maps_memory_ = false;
};

}  // namespace tessera
