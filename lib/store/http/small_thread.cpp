// SPDX-License-Identifier: Apache-2.0
#include "store/http/small_thread.hpp"

#include <csignal>
#include <cstddef>

namespace tessera::http {

bool start_small_thread(pthread_t& thread, void* (*run)(void*), void* argument) {
  constexpr std::size_t stack_size = std::size_t{512} << 10;
  // The thread inherits the mask: signals are for the program's own threads.
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  const int failure = pthread_create(&thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return failure == 0;
}

}  // namespace tessera::http
