// SPDX-License-Identifier: Apache-2.0
#include "executor/mpi/local_worker.hpp"

#include <utility>

namespace tessera::mpi {

namespace {

thread_local bool is_running = false;

}  // namespace

bool is_running_a_task() { return is_running; }

task_completion run_here(workload& work, const submission& submitted, std::size_t worker,
                         const session_clock& clock) {
  is_running = true;
  task_completion completion = run_batch(work, submitted, worker, clock);
  is_running = false;
  if (!submitted.batch.may_keep) work.limit_tasks(bytes{0});
  return completion;
}

local_worker::local_worker(workload& work, const session_clock& clock, bool has_thread)
    : work_(work), clock_(clock), has_thread_(has_thread) {
  if (has_thread_) thread_ = std::thread([this] { serve(); });
}

local_worker::~local_worker() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  if (has_thread_) thread_.join();
}

void local_worker::submit(const submission& submitted) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(submitted);
  }
  changed_.notify_all();
}

void local_worker::cancel() {
  const std::lock_guard lock(mutex_);
  for (const submission& dropped : queue_) {
    completions_.push_back({dropped.ticket, 0, nullptr, 0, clock_.now(), clock_.now()});
  }
  queue_.clear();
}

std::optional<task_completion> local_worker::take() {
  const std::lock_guard lock(mutex_);
  if (!has_thread_ && !queue_.empty()) {
    const submission next = queue_.front();
    queue_.pop_front();
    return run_here(work_, next, 0, clock_);
  }
  if (completions_.empty()) return std::nullopt;
  task_completion completion = std::move(completions_.front());
  completions_.pop_front();
  return completion;
}

void local_worker::wait_for(std::chrono::microseconds longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [this] { return !completions_.empty(); });
}

void local_worker::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_closing_ || !queue_.empty(); });
    if (is_closing_) return;
    const submission next = queue_.front();
    queue_.pop_front();
    lock.unlock();
    task_completion completion = run_here(work_, next, 0, clock_);
    lock.lock();
    completions_.push_back(std::move(completion));
    changed_.notify_all();
  }
}

}  // namespace tessera::mpi
