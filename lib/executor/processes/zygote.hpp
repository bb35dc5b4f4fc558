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
#include <string>
#include <sys/types.h>
#include <vector>

namespace tessera {

/// A request to the zygote, and its answer.
struct zygote_request {
  enum class kind { fork, wait_for_end } action = kind::fork;
  pid_t worker = 0;
};
struct zygote_answer {
  pid_t worker = 0;  ///< negative if the system starts no more processes
  int status = 0;    ///< of `wait_for_end`: the status of waitpid; of `fork`: errno
  /// In the first message, which answers no request: the memory of the zygote, and whether it can
  /// map the shared memory of its parent.
  std::uint64_t memory = 0;
  bool maps_memory = false;
};

/// The small process that worker processes are forked from: this program, started once more, which
/// stops in the constructor of its runtime.
///
/// A fork of the scheduling process would copy locks that its threads hold, and share its memory
/// copy-on-write. All workers end with their zygote. The zygote ends with its parent, even after a
/// crash, because it sees the end of its socket.
///
/// Threads: all members may be called from several threads.
class zygote {
 public:
  /// Starts a zygote for workers that find `libraries` ready; see `resident_library`.
  ///
  /// Throws: value_error <- the program has not made a runtime; worker_error <- the program could
  ///         not be started once more; takeover_error <- it cannot run here (unfit_worker.hpp).
  explicit zygote(std::vector<std::string> libraries);
  zygote(const zygote&) = delete;
  zygote& operator=(const zygote&) = delete;
  ~zygote();

  /// Returns the libraries that are ready in each worker.
  [[nodiscard]] const std::vector<std::string>& libraries() const { return libraries_; }

  /// Returns the memory of a worker without data.
  [[nodiscard]] bytes worker_memory() const { return worker_memory_; }

  /// Tells whether workers can map the shared memory of this process.
  [[nodiscard]] bool maps_memory() const { return maps_memory_; }

  /// Starts a worker for the mailbox in the file `page`, with `socket` to its peer.
  ///
  /// Throws: worker_error <- the system refuses, or the zygote is gone.
  [[nodiscard]] pid_t fork_worker(int socket, int page);

  /// Waits for the end of a worker. Returns its status as of waitpid, or nullopt if the zygote is
  /// gone. Call it once for each worker; until then the system does not reuse the process number.
  [[nodiscard]] std::optional<int> wait_for_end(pid_t worker);

 private:
  [[nodiscard]] bool ask(const zygote_request& request, std::span<const int> files,
                         zygote_answer& answer);

  std::vector<std::string> libraries_;
  std::mutex mutex_;
  descriptor socket_;
  pid_t pid_ = 0;
  bytes worker_memory_{};
  bool maps_memory_ = false;
};

}  // namespace tessera
