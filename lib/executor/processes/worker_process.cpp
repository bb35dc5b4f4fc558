// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/worker_process.hpp"

#include "tessera/core/error.hpp"

#include "core/api/resident_library.hpp"
#include "executor/processes/system.hpp"

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <sys/wait.h>
#include <utility>

namespace tessera {

namespace {

bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
         signal == SIGABRT || signal == SIGSYS;
}

std::string describe_end(const std::optional<int>& status) {
  if (!status) return "the worker process was lost with the process that it was forked from";
  if (WIFEXITED(*status)) {
    return fmt::format("the worker process exited with code {}", WEXITSTATUS(*status));
  }
  const int signal = WTERMSIG(*status);
  const char* name = sigabbrev_np(signal);
  const std::string named = fmt::format("signal {} (SIG{})", signal, name ? name : "?");
  if (is_crash(signal)) return "the worker process crashed: " + named;
  return "the worker process was killed by " + named +
         (signal == SIGKILL ? ", as the system does where memory runs out" : "");
}

}  // namespace

worker_process::worker_process(std::shared_ptr<zygote> parent) : parent_(std::move(parent)) {
  auto [socket, socket_of_worker] = connected_sockets();
  socket_ = std::move(socket);
  pid_ = parent_->fork_worker(socket_of_worker.get(), page_.file());
}

worker_process::~worker_process() {
  socket_.reset();
  if (!has_ended_) (void)parent_->wait_for_end(pid_);
}

void worker_process::kill() const {
  if (!has_ended_) ::kill(pid_, SIGKILL);
}

std::string worker_process::how_it_ended() {
  has_ended_ = true;
  return describe_end(parent_->wait_for_end(pid_));
}

std::unique_ptr<worker_process> worker_pool::lease() {
  const std::shared_ptr<zygote> first = parent();
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<worker_process> worker = std::move(idle_.back());
      idle_.pop_back();
      if (take_rings(worker->socket(), false)) return worker;
    }
  }
  try {
    return std::make_unique<worker_process>(first);
  } catch (const worker_error&) {
    // The zygote may have been killed. A new zygote may survive.
    const std::lock_guard lock(mutex_);
    if (parent_ == first) start_zygote(first->libraries());
    return std::make_unique<worker_process>(parent_);
  }
}

void worker_pool::give_back(std::unique_ptr<worker_process> worker) {
  worker->page().write_recipe({});
  ring(worker->socket());
  const std::lock_guard lock(mutex_);
  if (idle_.size() < max_idle_ && worker->parent() == parent_) idle_.push_back(std::move(worker));
}

bytes worker_pool::worker_memory() { return parent()->worker_memory(); }

bool worker_pool::maps_memory() { return parent()->maps_memory(); }

std::shared_ptr<zygote> worker_pool::parent() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> libraries = loaded_resident_libraries();
  if (parent_ == nullptr || parent_->libraries() != libraries) start_zygote(std::move(libraries));
  return parent_;
}

void worker_pool::start_zygote(std::vector<std::string> libraries) {
  parent_ = std::make_shared<zygote>(std::move(libraries));
  idle_.clear();
}

}  // namespace tessera
