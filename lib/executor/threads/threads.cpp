// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/threads/thread_sanitizer.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <utility>
#include <vector>

namespace tessera::executors {

namespace {

using tbb::global_control;

/// Lets oneTBB start `count` worker threads even where there are fewer cores; it counts the thread
/// that asks as one more. Nothing where it may already: a control would also be an upper limit for
/// everybody else in the process.
std::optional<global_control> allow_threads(std::size_t count) {
  constexpr auto parallelism = global_control::max_allowed_parallelism;
  std::optional<global_control> control;
  if (global_control::active_value(parallelism) <= count) control.emplace(parallelism, count + 1);
  return control;
}

/// The arena whose task this thread runs; null: none's.
thread_local const tbb::task_arena* arena_of_this_thread = nullptr;

/// One arena task is enqueued for each submission; it runs the oldest that has not started, and
/// goes on while there are more. Workers are numbered here: an arena for one thread numbers its
/// slots from 0 or from 1.
class threads_session final : public executor_session {
 public:
  threads_session(workload& work, tbb::task_arena& arena, std::size_t num_workers)
      : work_(work), arena_(arena), control_(allow_threads(num_workers)) {
    for (std::size_t worker = num_workers; worker-- > 0;) free_workers_.push_back(worker);
  }

  threads_session(const threads_session&) = delete;
  threads_session& operator=(const threads_session&) = delete;

  ~threads_session() override {
    std::unique_lock lock(mutex_);
    queue_.clear();
    ended_.wait(lock, [this] { return num_enqueued_ == 0; });
  }

  void submit(const task_batch& batch, std::uint64_t ticket) override {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back({batch, ticket});
      ++num_enqueued_;
    }
    sanitizer_hand_over(this);
    arena_.enqueue([this] { run_submitted(); });
  }

  std::optional<task_completion> wait(std::optional<session_time> until) override {
    std::unique_lock lock(mutex_);
    const auto has_completion = [this] { return !completions_.empty(); };
    if (!until) {
      ended_.wait(lock, has_completion);
    } else if (!ended_.wait_until(lock, clock_.at(*until), has_completion)) {
      return std::nullopt;
    }
    task_completion completion = std::move(completions_.front());
    completions_.pop_front();
    return completion;
  }

  void cancel() override {
    const std::lock_guard lock(mutex_);
    for (const submission& dropped : queue_) {
      completions_.push_back({dropped.ticket, 0, nullptr, 0, now(), now()});
    }
    queue_.clear();
  }

  session_time now() const override { return clock_.now(); }

 private:
  void run_submitted() {
    sanitizer_take_over(this);
    std::unique_lock lock(mutex_);
    while (!queue_.empty() && !free_workers_.empty()) {
      const submission next = queue_.front();
      queue_.pop_front();
      const std::size_t worker = free_workers_.back();
      free_workers_.pop_back();
      lock.unlock();
      const tbb::task_arena* const outer = std::exchange(arena_of_this_thread, &arena_);
      task_completion completion = run_batch(work_, next, worker, clock_);
      arena_of_this_thread = outer;
      lock.lock();
      free_workers_.push_back(worker);
      completions_.push_back(std::move(completion));
      ended_.notify_one();
    }
    --num_enqueued_;
    // Under the lock: the session may be gone once it is released.
    ended_.notify_one();
  }

  workload& work_;
  tbb::task_arena& arena_;
  std::optional<global_control> control_;
  session_clock clock_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::size_t> free_workers_;
  std::deque<submission> queue_;
  std::deque<task_completion> completions_;
  std::size_t num_enqueued_ = 0;
};

class threads_executor final : public executor {
 public:
  // No slot is kept for the thread that asks: it waits, and never runs tasks.
  explicit threads_executor(std::size_t num_workers)
      : num_workers_(num_workers), arena_(static_cast<int>(num_workers), 0) {}

  std::string name() const override { return "threads:" + std::to_string(num_workers_); }
  std::size_t num_workers() const override { return num_workers_; }
  /// A task that computes something itself does so on its own thread: if all workers waited for
  /// tasks of theirs, there would be nobody to run these.
  std::unique_ptr<executor_session> start(workload& work) override {
    if (arena_of_this_thread == &arena_) return serial()->start(work);
    return std::make_unique<threads_session>(work, arena_, num_workers_);
  }

 private:
  std::size_t num_workers_;
  tbb::task_arena arena_;
};

}  // namespace

std::shared_ptr<executor> threads(std::size_t count) {
  if (count == 0) count = static_cast<std::size_t>(tbb::info::default_concurrency());
  return std::make_shared<threads_executor>(count);
}

}  // namespace tessera::executors
