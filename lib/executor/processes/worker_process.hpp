// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The scheduling process's handle of a worker process, and the pool of idle workers.

#include "tessera/core/bytes.hpp"

#include "executor/descriptor.hpp"
#include "executor/processes/worker_mailbox.hpp"
#include "executor/processes/zygote.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tessera {

/// The scheduling process's handle of a worker process.
///
/// The worker ends with this object, after its running batch if there is one.
class worker_process {
 public:
  /// Throws: worker_error <- the system starts no more processes.
  explicit worker_process(std::shared_ptr<zygote> parent);
  worker_process(const worker_process&) = delete;
  worker_process& operator=(const worker_process&) = delete;
  ~worker_process();

  [[nodiscard]] shared_page& page() { return page_; }
  [[nodiscard]] const shared_page& page() const { return page_; }
  /// A socket that is readable after a change of the page, or after the end of the process.
  [[nodiscard]] int socket() const { return socket_.get(); }

  [[nodiscard]] const std::shared_ptr<zygote>& parent() const { return parent_; }

  void kill() const;

  /// Waits for the end of the process and describes it. Requires: the process ends soon.
  [[nodiscard]] std::string how_it_ended();

 private:
  std::shared_ptr<zygote> parent_;
  shared_page page_;
  descriptor socket_;
  pid_t pid_ = 0;
  bool has_ended_ = false;
};

/// The idle worker processes, and the zygote that forks more. The zygote starts on the first use.
///
/// Workers have the libraries ready that this process has loaded: plans of products load BLAS,
/// which keeps 5 MB in each process. After another library is loaded, idle workers end, and a new
/// zygote starts.
///
/// Threads: all members may be called from several threads.
class worker_pool {
 public:
  explicit worker_pool(std::size_t max_idle) : max_idle_(max_idle) {}

  /// Returns an idle worker, or a new worker.
  ///
  /// Throws: worker_error <- the system starts no more processes.
  [[nodiscard]] std::unique_ptr<worker_process> lease();

  /// Adds an idle worker to the pool, unless it has other libraries than this process.
  void give_back(std::unique_ptr<worker_process> worker);

  /// Returns the memory of a worker without data.
  [[nodiscard]] bytes worker_memory();

  /// Tells whether workers can map the shared memory of this process.
  [[nodiscard]] bool maps_memory();

 private:
  [[nodiscard]] std::shared_ptr<zygote> parent();
  void start_zygote(std::vector<std::string> libraries);

  std::size_t max_idle_;
  std::mutex mutex_;
  std::shared_ptr<zygote> parent_;
  std::vector<std::unique_ptr<worker_process>> idle_;
};

}  // namespace tessera
