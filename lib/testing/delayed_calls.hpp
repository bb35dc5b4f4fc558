// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls that a thread carries out after a delay, on a real or a virtual clock.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tessera::testing {

/// The time of delays. The virtual time advances only when a caller waits for its end.
class delay_timer {
 public:
  explicit delay_timer(bool is_virtual) : is_virtual_(is_virtual) {}

  /// Returns the time since the clock began.
  [[nodiscard]] std::chrono::duration<double> now() const;
  [[nodiscard]] bool is_virtual() const { return is_virtual_; }
  /// Lets `delay` pass for the calling thread.
  void sleep(std::chrono::duration<double> delay);
  /// Advances the virtual time to `time`; does nothing if it is past, or on the real clock.
  void advance_to(std::chrono::duration<double> time);

 private:
  friend class delayed_calls;

  [[nodiscard]] std::chrono::duration<double> now_locked() const;

  const bool is_virtual_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  /// Guards the virtual time and the calls of all queues of the clock.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::duration<double> virtual_now_{};
};

/// Calls in flight, which one thread carries out in the order of their ends.
class delayed_calls {
 public:
  explicit delayed_calls(std::shared_ptr<delay_timer> timer);
  delayed_calls(const delayed_calls&) = delete;
  delayed_calls& operator=(const delayed_calls&) = delete;
  /// Gives up the calls that have not begun, and waits for the call that runs.
  ~delayed_calls();

  /// Adds a call that is carried out `delay` from now, and returns its ticket.
  [[nodiscard]] std::size_t submit(std::chrono::duration<double> delay, std::function<void()> call);
  [[nodiscard]] bool is_complete(std::size_t ticket) const;
  /// Waits for a call and frees its ticket. Throws: the exception of the call.
  void wait(std::size_t ticket);
  /// Waits for all calls; ignores their exceptions.
  void wait_for_all();

 private:
  struct delayed_call {
    std::function<void()> call;
    std::chrono::duration<double> end{};
    bool is_complete = false;
    std::exception_ptr failure = nullptr;
  };

  void serve();
  [[nodiscard]] delayed_call* find_next();

  std::shared_ptr<delay_timer> timer_;
  /// By ticket; null for free tickets.
  std::vector<std::unique_ptr<delayed_call>> calls_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tessera::testing
