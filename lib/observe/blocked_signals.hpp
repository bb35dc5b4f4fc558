// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The mask of signals for threads that the library starts.

#include <csignal>

namespace tessera {

/// Blocks all signals in the calling thread while it lives. A thread that starts meanwhile inherits
/// the mask: signals are for the threads of the program.
class blocked_signals {
 public:
  blocked_signals() {
    sigset_t every_signal;
    sigfillset(&every_signal);
    pthread_sigmask(SIG_SETMASK, &every_signal, &before_);
  }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace tessera
