// SPDX-License-Identifier: Apache-2.0
#include "store/api/heartbeat.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

/// The time between two beats: a small part of the silence after which an owner counts as gone.
constexpr std::chrono::seconds period_of_process{5};

constexpr std::chrono::seconds period_of_servers{15};

/// The heartbeat of the process with this number. It is never destroyed: claims may end later than
/// static objects.
struct numbered_heartbeat {
  pid_t process;
  heartbeat beats;
};

/// Returns the heartbeat of this process that `current` leads to, a new one after a fork.
heartbeat& find_or_start(std::atomic<numbered_heartbeat*>& current, std::chrono::seconds period) {
  numbered_heartbeat* known = current.load();
  if (known != nullptr && known->process == ::getpid()) return known->beats;
  auto* const fresh = new numbered_heartbeat{::getpid(), heartbeat(period)};
  if (current.compare_exchange_strong(known, fresh)) return fresh->beats;
  delete fresh;
  return known->beats;
}

}  // namespace

heartbeat& heartbeat::of_process() {
  static std::atomic<numbered_heartbeat*> current{nullptr};
  return find_or_start(current, period_of_process);
}

heartbeat& heartbeat::of_servers() {
  static std::atomic<numbered_heartbeat*> current{nullptr};
  return find_or_start(current, period_of_servers);
}

heartbeat::~heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void heartbeat::add(const std::string& file) {
  add(file, [file] { ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0); });
}

void heartbeat::add(const std::string& name, std::function<void()> renew) {
  const std::lock_guard lock(mutex_);
  const auto entry = renewals_.emplace(name, std::move(renew));
  if (thread_.joinable()) return;
  // Signals are for the threads of the program.
  sigset_t every_signal;
  sigset_t before;
  sigfillset(&every_signal);
  pthread_sigmask(SIG_SETMASK, &every_signal, &before);
  try {
    thread_ = std::thread([this] { beat(); });
  } catch (...) {
    renewals_.erase(entry);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void heartbeat::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = renewals_.find(name); entry != renewals_.end()) renewals_.erase(entry);
}

void heartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period_, [this] { return is_ending_; })) {
    std::vector<std::function<void()>> renewals;
    for (const auto& [name, renew] : renewals_) renewals.push_back(renew);
    // A slow file system must not keep claims from beginning and ending.
    lock.unlock();
    for (const std::function<void()>& renew : renewals) renew();
    lock.lock();
  }
}

}  // namespace tessera::detail
