// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Ctrl-C: SIGINT and SIGTERM stop a computation cleanly.

#include <memory>

namespace tessera {

/// Asks every computation that is running in this process to stop: it hands out no more tasks, lets
/// running tasks finish, and throws `interrupted_error`. Does nothing if none is running.
///
/// Threads: may be called from any thread, and from a signal handler.
void request_interrupt() noexcept;

/// Tells whether the computations that are running have been asked to stop.
[[nodiscard]] bool interrupt_requested() noexcept;

/// For its lifetime, SIGINT and SIGTERM call `request_interrupt` while a computation is running.
///
/// A second signal, and one that comes while nothing is running, ends the process at once, as it
/// would without handlers. Handlers that were there before are put back at the end.
///
/// Threads: at most one object at a time.
class interrupt_handlers {
 public:
  interrupt_handlers();
  interrupt_handlers(const interrupt_handlers&) = delete;
  interrupt_handlers& operator=(const interrupt_handlers&) = delete;
  ~interrupt_handlers();

 private:
  struct saved;
  std::unique_ptr<saved> saved_;
};

}  // namespace tessera
