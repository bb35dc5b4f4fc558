// SPDX-License-Identifier: Apache-2.0
#include "store/heartbeat.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tessera::detail {

namespace {

/// The time between two beats: a small part of the silence after which an owner counts as gone.
constexpr std::chrono::seconds period_of_process{5};

/// The heartbeat of the process with this number. It is never destroyed: claims may end later than
/// static objects.
struct numbered_heartbeat {
  pid_t process = 0;
  heartbeat beats{period_of_process};
};

std::atomic<numbered_heartbeat*> current{nullptr};

}  // namespace

heartbeat& heartbeat::of_process() {
  numbered_heartbeat* known = current.load();
  if (known != nullptr && known->process == ::getpid()) return known->beats;
  auto* const fresh = new numbered_heartbeat{.process = ::getpid()};
  if (current.compare_exchange_strong(known, fresh)) return fresh->beats;
  delete fresh;
  return known->beats;
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
  const std::lock_guard lock(mutex_);
  files_.insert(file);
  if (thread_.joinable()) return;
  // Signals are for the threads of the program.
  sigset_t every_signal;
  sigset_t before;
  sigfillset(&every_signal);
  pthread_sigmask(SIG_SETMASK, &every_signal, &before);
  try {
    thread_ = std::thread([this] { beat(); });
  } catch (...) {
    files_.erase(files_.find(file));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void heartbeat::remove(const std::string& file) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = files_.find(file); entry != files_.end()) files_.erase(entry);
}

void heartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period_, [this] { return is_ending_; })) {
    const std::vector<std::string> files(files_.begin(), files_.end());
    // A slow file system must not keep claims from beginning and ending.
    lock.unlock();
    for (const std::string& file : files) ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
    lock.lock();
  }
}

}  // namespace tessera::detail
