// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The thread of the client, with libcurl's multi handle.

#include "store/http/host_limits.hpp"
#include "store/http/request.hpp"
#include "store/http/retry_budget.hpp"
#include "store/http/transfer.hpp"

#include <cstddef>
#include <curl/curl.h>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::http {

class client_thread {
 public:
  /// Starts the thread. Throws: store_error <- there is no memory or thread for it.
  client_thread();
  client_thread(const client_thread&) = delete;
  client_thread& operator=(const client_thread&) = delete;

  /// Throws: store_error <- the thread is stopped.
  void begin(const std::shared_ptr<request>& asked);
  void give_up(const std::shared_ptr<request>& asked);
  /// Ends all requests with failures, and the thread.
  void stop();

 private:
  using clock = transfer::clock;

  struct server {
    host_limits limits;
    std::size_t num_active = 0;
    bool has_answered = false;
    std::deque<transfer*> ready;
  };
  /// A request that has begun and not ended.
  struct entry {
    std::unique_ptr<transfer> work;
    server* home = nullptr;
    /// The handle of an attempt in flight.
    CURL* easy = nullptr;
  };

  static void* run_thread(void* self);
  void run();
  [[nodiscard]] bool run_once();
  [[nodiscard]] bool take_orders();
  void take_new(std::shared_ptr<request> asked);
  void take_given_up(const request* asked);
  void start_ready();
  void start_delayed();
  void start(entry& current);
  void finish_attempts();
  void end_stalled();
  void conclude(CURL* easy, CURLcode code);
  void plan_next(entry& next);
  void release(entry& current);
  void end(request& asked);
  void drop_handles() noexcept;
  void end_all(store_failure kind, const char* reason) noexcept;
  [[nodiscard]] int milliseconds_to_next() const;

  CURLM* multi_ = nullptr;
  pthread_t thread_{};

  std::mutex mutex_;
  std::vector<std::shared_ptr<request>> begun_;
  std::vector<std::shared_ptr<request>> given_up_;
  bool is_stopped_ = false;

  // Of the thread alone.
  /// Requests that have begun and have no entry yet.
  std::vector<std::shared_ptr<request>> waiting_;
  std::unordered_map<const request*, entry> entries_;
  std::map<std::string, server> servers_;
  std::multimap<clock::time_point, const request*> delayed_;
  retry_budget retries_;
  std::vector<CURL*> idle_;
  std::size_t num_active_ = 0;
  clock::time_point next_stall_check_{};
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace tessera::http
