// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A thread that renews the times of files, by which other hosts see that their owner is alive.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace tessera::detail {

/// Renews the modification time of files, once in a period. The first file starts its thread.
///
/// Threads: all members may be called from several threads at the same time.
class heartbeat {
 public:
  explicit heartbeat(std::chrono::milliseconds period) : period_(period) {}
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat();

  /// Returns the heartbeat of this process. A forked child has another one than its parent.
  static heartbeat& of_process();

  void add(const std::string& file);
  /// Ends one `add` of `file`. Does nothing if there is none.
  void remove(const std::string& file);

 private:
  void beat();

  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<std::string> files_;
  std::thread thread_;
  bool is_ending_ = false;
};

}  // namespace tessera::detail
