// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads that run libcurl and nothing of the program's own.

#include <pthread.h>

namespace tessera::http {

/// Starts `run(argument)` in a thread with a stack of 512 KiB, in which all signals are blocked.
/// Returns false if there is no memory or thread for it.
[[nodiscard]] bool start_small_thread(pthread_t& thread, void* (*run)(void*), void* argument);

}  // namespace tessera::http
