// SPDX-License-Identifier: Apache-2.0
#include "executor/host/crew.hpp"

#include "tessera/core/error.hpp"

#include "core/api/host_name.hpp"

#include <chrono>
#include <utility>

namespace tessera::executors {

namespace {

/// The longest that a loop may take to begin its second call.
constexpr std::chrono::seconds patience{1};

}  // namespace

crew::crew(std::size_t num_workers, bool is_alone)
    : num_workers_(num_workers), is_alone_(is_alone) {
  for (std::size_t worker = num_workers; worker-- > 0;) free_workers_.push_back(worker);
}

void crew::join(const std::function<void()>& schedule) {
  std::unique_lock lock(mutex_);
  const bool is_first = num_joined_++ == 0;
  if (!is_first && !has_ended_) is_alone_ = false;
  has_joined_.notify_one();
  lock.unlock();
  if (is_first) return lead(schedule);
  help();
}

void crew::lead(const std::function<void()>& schedule) {
  try {
    schedule();
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  has_work_.notify_all();
}

void crew::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return has_ended_ || may_run(); });
    if (has_ended_) return;
    completions_.push_back(run_oldest(lock));
    has_completion_.notify_one();
  }
}

task_completion crew::run_oldest(std::unique_lock<std::mutex>& lock) {
  const submission next = queue_.front();
  queue_.pop_front();
  const std::size_t worker = free_workers_.back();
  free_workers_.pop_back();
  note_start(worker);
  lock.unlock();
  task_completion completion = run_batch(*work_, next, worker, clock_);
  lock.lock();
  free_workers_.push_back(worker);
  if (!queue_.empty()) has_work_.notify_one();
  return completion;
}

void crew::note_start(std::size_t worker) {
  if (worker != num_started_) return;
  ++num_started_;
  const session_time now = clock_.now();
  started_.push_back({worker, host_name(), now, now});
}

bool crew::leads_alone(std::unique_lock<std::mutex>& lock) {
  if (num_joined_ > 1) return false;
  const auto has_another = [this] { return num_joined_ > 1; };
  if (!is_alone_) is_alone_ = !has_joined_.wait_for(lock, patience, has_another);
  return is_alone_;
}

void crew::conclude() const {
  if (num_joined_ == 0) throw value_error("executors::on: the loop of the host called no body");
  if (failure_) std::rethrow_exception(failure_);
}

crew_session::crew_session(crew& workers, workload& work) : crew_(workers) {
  const std::lock_guard lock(crew_.mutex_);
  crew_.work_ = &work;
}

crew_session::~crew_session() {
  std::unique_lock lock(crew_.mutex_);
  crew_.queue_.clear();
  crew_.has_completion_.wait(lock,
                             [this] { return crew_.free_workers_.size() == crew_.num_workers_; });
}

void crew_session::submit(const task_batch& batch, std::uint64_t ticket) {
  const std::lock_guard lock(crew_.mutex_);
  crew_.queue_.push_back({batch, ticket});
  crew_.has_work_.notify_one();
}

std::optional<task_completion> crew_session::wait(std::optional<session_time> until) {
  std::unique_lock lock(crew_.mutex_);
  if (crew_.may_run() && crew_.leads_alone(lock) && crew_.may_run()) {
    return crew_.run_oldest(lock);
  }
  const auto has_completion = [this] { return !crew_.completions_.empty(); };
  if (!until) {
    crew_.has_completion_.wait(lock, has_completion);
  } else if (!crew_.has_completion_.wait_until(lock, crew_.clock_.at(*until), has_completion)) {
    return std::nullopt;
  }
  task_completion completion = std::move(crew_.completions_.front());
  crew_.completions_.pop_front();
  return completion;
}

std::vector<worker_start> crew_session::started_workers() {
  const std::lock_guard lock(crew_.mutex_);
  return std::exchange(crew_.started_, {});
}

void crew_session::cancel() {
  const std::lock_guard lock(crew_.mutex_);
  for (const submission& dropped : crew_.queue_) {
    crew_.completions_.push_back({dropped.ticket, 0, nullptr, 0, now(), now()});
  }
  crew_.queue_.clear();
}

}  // namespace tessera::executors
