// SPDX-License-Identifier: Apache-2.0
#include "store/http/client.hpp"

#include "store/http/client_thread.hpp"
#include "store/http/small_thread.hpp"

#include <cstdlib>
#include <curl/curl.h>
#include <mutex>
#include <pthread.h>

namespace tessera::http {

namespace {

/// The client of this process, and the mutex that it is made under.
///
/// It is never destroyed: requests may still refer to it when static objects are destroyed.
struct process_client {
  std::mutex mutex;
  bool is_prepared = false;
  bool is_ending = false;
  /// The number of forks that led to this process.
  unsigned generation = 0;
  client_thread* thread = nullptr;
};

process_client& this_process() {
  static auto& only = *new process_client;
  return only;
}

void lock_before_fork() { this_process().mutex.lock(); }
void unlock_in_parent() { this_process().mutex.unlock(); }

/// The thread is not in the child. Its memory stays, because only the thread knows its state.
void renew_in_child() {
  process_client& process = this_process();
  process.thread = nullptr;
  ++process.generation;
  process.mutex.unlock();
}

void stop_at_exit() {
  process_client& process = this_process();
  client_thread* thread = nullptr;
  {
    const std::lock_guard lock(process.mutex);
    process.is_ending = true;
    thread = process.thread;
  }
  if (thread != nullptr) thread->stop();
}

void* start_libcurl(void* has_started) {
  *static_cast<bool*>(has_started) = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return nullptr;
}

/// Starts libcurl in a thread of its own, which ends at once.
///
/// OpenSSL keeps state for each thread that calls it. It frees the state at the end of the thread,
/// and that of all threads at the end of the program: a caller's thread that ends at the same time
/// would free its state twice.
bool start_libcurl_apart() {
  bool has_started = false;
  pthread_t thread{};
  if (!start_small_thread(thread, &start_libcurl, &has_started)) return false;
  pthread_join(thread, nullptr);
  return has_started;
}

/// Prepares libcurl, once for the process and its children. The mutex is held.
void prepare(process_client& process) {
  if (process.is_prepared) return;
  if (!start_libcurl_apart()) {
    throw store_error("the HTTP client cannot start: libcurl fails", store_failure::permanent);
  }
  // Functions run in reverse order: the thread ends before OpenSSL, which libcurl has started.
  const bool is_registered =
      std::atexit(stop_at_exit) == 0 &&
      pthread_atfork(lock_before_fork, unlock_in_parent, renew_in_child) == 0;
  if (!is_registered) throw store_error("the HTTP client cannot start: there is no memory");
  process.is_prepared = true;
}

}  // namespace

void begin(const std::shared_ptr<request>& asked) {
  process_client& process = this_process();
  const std::lock_guard lock(process.mutex);
  if (process.is_ending) throw store_error("the program is ending");
  prepare(process);
  if (process.thread == nullptr) process.thread = new client_thread;
  asked->generation = process.generation;
  process.thread->begin(asked);
}

namespace {

/// Returns the thread that carries out a request, or nullptr if it is in another process.
client_thread* thread_of(const request& asked) {
  process_client& process = this_process();
  const std::lock_guard lock(process.mutex);
  return asked.generation == process.generation ? process.thread : nullptr;
}

}  // namespace

bool has_ended(const request& asked) {
  return asked.has_ended.load(std::memory_order_acquire) || thread_of(asked) == nullptr;
}

void wait_for(const request& asked) {
  if (asked.has_ended.load(std::memory_order_acquire)) return;
  if (thread_of(asked) == nullptr) {
    throw store_error("the process was forked while the value was read", store_failure::passing);
  }
  asked.has_ended.wait(false, std::memory_order_acquire);
}

void give_up(std::span<const std::shared_ptr<request>> requests) {
  for (const std::shared_ptr<request>& asked : requests) {
    if (asked->has_ended.load(std::memory_order_acquire)) continue;
    if (client_thread* const thread = thread_of(*asked)) thread->give_up(asked);
  }
  for (const std::shared_ptr<request>& asked : requests) {
    if (thread_of(*asked) != nullptr) asked->has_ended.wait(false, std::memory_order_acquire);
  }
}

}  // namespace tessera::http
