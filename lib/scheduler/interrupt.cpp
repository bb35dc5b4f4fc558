// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/interrupt.hpp"

#include "scheduler/interruptible_scope.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace tessera {

namespace {

// A signal handler has no arguments of ours: only global objects connect it with a computation.
std::atomic<int> num_running{0};
std::atomic<bool> is_requested{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

constexpr std::array<int, 2> handled_signals{SIGINT, SIGTERM};

extern "C" void tessera_handle_signal(int signal) {
  if (num_running.load() == 0 || is_requested.load()) {
    // The signal is blocked until this handler returns. Then its default action ends the process.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  is_requested.store(true);
}

}  // namespace

void request_interrupt() noexcept {
  if (num_running.load() != 0) is_requested.store(true);
}

bool interrupt_requested() noexcept { return is_requested.load(std::memory_order_relaxed); }

struct interrupt_handlers::saved {
  std::array<struct sigaction, handled_signals.size()> actions{};
};

interrupt_handlers::interrupt_handlers() : saved_(std::make_unique<saved>()) {
  struct sigaction action {};
  action.sa_handler = tessera_handle_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < handled_signals.size(); ++i) {
    sigaction(handled_signals[i], &action, &saved_->actions[i]);
  }
}

interrupt_handlers::~interrupt_handlers() {
  for (std::size_t i = 0; i < handled_signals.size(); ++i) {
    sigaction(handled_signals[i], &saved_->actions[i], nullptr);
  }
}

interruptible_scope::interruptible_scope() noexcept { num_running.fetch_add(1); }

interruptible_scope::~interruptible_scope() {
  if (num_running.fetch_sub(1) == 1) is_requested.store(false);
}

}  // namespace tessera
