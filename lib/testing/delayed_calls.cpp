// SPDX-License-Identifier: Apache-2.0
#include "testing/delayed_calls.hpp"

#include <algorithm>
#include <utility>

namespace tessera::testing {

std::chrono::duration<double> delay_timer::now() const {
  const std::lock_guard lock(mutex_);
  return now_locked();
}

std::chrono::duration<double> delay_timer::now_locked() const {
  return is_virtual_ ? virtual_now_
                     : std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_);
}

void delay_timer::sleep(std::chrono::duration<double> delay) {
  if (delay <= std::chrono::duration<double>::zero()) return;
  if (is_virtual_) {
    advance_to(now() + delay);
  } else {
    std::this_thread::sleep_for(delay);
  }
}

void delay_timer::advance_to(std::chrono::duration<double> time) {
  if (!is_virtual_) return;
  const std::lock_guard lock(mutex_);
  virtual_now_ = std::max(virtual_now_, time);
  changed_.notify_all();
}

delayed_calls::delayed_calls(std::shared_ptr<delay_timer> timer)
    : timer_(std::move(timer)), thread_([this] { serve(); }) {}

delayed_calls::~delayed_calls() {
  {
    const std::lock_guard lock(timer_->mutex_);
    is_stopping_ = true;
    timer_->changed_.notify_all();
  }
  thread_.join();
}

std::size_t delayed_calls::submit(std::chrono::duration<double> delay, std::function<void()> call) {
  const std::lock_guard lock(timer_->mutex_);
  auto added = std::make_unique<delayed_call>(
      delayed_call{.call = std::move(call), .end = timer_->now_locked() + delay});
  auto slot = std::find(calls_.begin(), calls_.end(), nullptr);
  if (slot == calls_.end()) slot = calls_.insert(slot, nullptr);
  *slot = std::move(added);
  timer_->changed_.notify_all();
  return static_cast<std::size_t>(slot - calls_.begin());
}

bool delayed_calls::is_complete(std::size_t ticket) const {
  const std::lock_guard lock(timer_->mutex_);
  return calls_.at(ticket)->is_complete;
}

void delayed_calls::wait(std::size_t ticket) {
  std::chrono::duration<double> end{};
  {
    const std::lock_guard lock(timer_->mutex_);
    end = calls_.at(ticket)->end;
  }
  timer_->advance_to(end);
  std::unique_lock lock(timer_->mutex_);
  timer_->changed_.wait(lock, [&] { return calls_.at(ticket)->is_complete; });
  const std::unique_ptr<delayed_call> done = std::move(calls_.at(ticket));
  lock.unlock();
  if (done->failure) std::rethrow_exception(done->failure);
}

void delayed_calls::wait_for_all() {
  for (std::size_t ticket = 0; ticket < calls_.size(); ++ticket) {
    if (calls_[ticket] == nullptr) continue;
    try {
      wait(ticket);
    } catch (...) {
      // The caller has given up the result.
    }
  }
}

/// Returns the incomplete call with the earliest end, or nullptr if there is none. The mutex is
/// held.
delayed_calls::delayed_call* delayed_calls::find_next() {
  delayed_call* next = nullptr;
  for (const std::unique_ptr<delayed_call>& call : calls_) {
    if (call == nullptr || call->is_complete) continue;
    if (next == nullptr || call->end < next->end) next = call.get();
  }
  return next;
}

void delayed_calls::serve() {
  std::unique_lock lock(timer_->mutex_);
  while (!is_stopping_) {
    delayed_call* const next = find_next();
    if (next == nullptr) {
      timer_->changed_.wait(lock);
      continue;
    }
    if (const std::chrono::duration<double> rest = next->end - timer_->now_locked();
        rest > std::chrono::duration<double>::zero()) {
      if (timer_->is_virtual()) {
        timer_->changed_.wait(lock);
      } else {
        timer_->changed_.wait_for(lock, rest);
      }
      continue;
    }
    // The call stays in its place: only `wait` removes it, once it is complete.
    lock.unlock();
    try {
      next->call();
    } catch (...) {
      next->failure = std::current_exception();
    }
    lock.lock();
    next->is_complete = true;
    timer_->changed_.notify_all();
  }
}

}  // namespace tessera::testing
