// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A thread that renews the times of files and of values on servers, by which other hosts see that
/// their owner is alive.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tessera::detail {

/// Calls renewals, each once in a period. The first one starts its thread.
///
/// Threads: all members may be called from several threads at the same time.
class heartbeat {
 public:
  explicit heartbeat(std::chrono::milliseconds period) : period_(period) {}
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat();

  /// Returns the heartbeat of this process for files. A forked child has another one than its
  /// parent.
  static heartbeat& of_process();
  /// Returns the one for values on servers, whose renewals may take long.
  static heartbeat& of_servers();

  /// Renews the modification time of a file from now on.
  void add(const std::string& file);
  /// Calls `renew` from now on. It must not throw, and may be called once more after `remove`.
  void add(const std::string& name, std::function<void()> renew);
  /// Ends one `add` of `name`. Does nothing if there is none.
  void remove(const std::string& name);

 private:
  void beat();

  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::string, std::function<void()>> renewals_;
  std::thread thread_;
  bool is_ending_ = false;
};

}  // namespace tessera::detail
