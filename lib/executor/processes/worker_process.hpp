// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A worker process, seen from the process that schedules, and those that wait for work.

#include "tessera/core/bytes.hpp"

#include "executor/descriptor.hpp"
#include "executor/processes/worker_page.hpp"
#include "executor/processes/zygote.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tessera {

/// A worker process, seen from the process that schedules. It ends with this object: at once, if it
/// runs nothing.
class worker_process {
 public:
  /// Throws: worker_error <- there can be no more processes.
  explicit worker_process(std::shared_ptr<zygote> parent);
  worker_process(const worker_process&) = delete;
  worker_process& operator=(const worker_process&) = delete;
  ~worker_process();

  [[nodiscard]] shared_page& page() { return page_; }
  [[nodiscard]] const shared_page& page() const { return page_; }
  /// Readable where the page has changed, or the process has ended.
  [[nodiscard]] int socket() const { return socket_.get(); }

  void kill() const;

  /// Waits for the process, which has ended or is about to, and tells how it ended.
  [[nodiscard]] std::string how_it_ended();

 private:
  std::shared_ptr<zygote> parent_;
  shared_page page_;
  descriptor socket_;
  pid_t pid_ = 0;
  bool has_ended_ = false;
};

/// Worker processes that wait for work, and the zygote that makes more, once the first is needed.
///
/// Threads: all members may be called from several threads.
class worker_pool {
 public:
  explicit worker_pool(std::size_t max_idle) : max_idle_(max_idle) {}

  /// Returns a worker that waits, or a new one.
  ///
  /// Throws: worker_error <- there can be no more processes.
  [[nodiscard]] std::unique_ptr<worker_process> lease();

  /// Takes a worker back that has nothing to do.
  void give_back(std::unique_ptr<worker_process> worker);

  /// Returns what a worker holds before any data.
  [[nodiscard]] bytes worker_memory();

  /// Tells whether workers can map what this process makes in shared memory.
  [[nodiscard]] bool maps_memory();

 private:
  [[nodiscard]] std::shared_ptr<zygote> parent();

  std::size_t max_idle_;
  std::mutex mutex_;
  std::shared_ptr<zygote> parent_;
  std::vector<std::unique_ptr<worker_process>> idle_;
};

}  // namespace tessera
