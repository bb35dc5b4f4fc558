// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "core/api/host_name.hpp"
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

/// Allows oneTBB `count` worker threads even on fewer cores. oneTBB counts the calling thread, too.
///
/// Returns nullopt if that many are allowed already, because a control is also an upper limit for
/// all other users of oneTBB in the process.
std::optional<global_control> allow_threads(std::size_t count) {
  constexpr auto parallelism = global_control::max_allowed_parallelism;
  std::optional<global_control> control;
  if (global_control::active_value(parallelism) <= count) control.emplace(parallelism, count + 1);
  return control;
}

/// The arena whose task this thread runs, or null.
thread_local const tbb::task_arena* arena_of_this_thread = nullptr;

/// Runs batches as tasks of a oneTBB arena.
///
/// Each submission enqueues an arena task. The arena task runs queued batches, the oldest first,
/// until the queue is empty. The session numbers the workers itself, because the slots of an arena
/// for a single thread begin at 0 or at 1.
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

  std::vector<worker_start> started_workers() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(started_, {});
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
      note_start(worker);
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
    // Under the lock: the session may be destroyed once the lock is released.
    ended_.notify_one();
  }

  /// Records the first batch of a worker. The free workers are a stack, so that workers get their
  /// first batches in the order of their numbers.
  void note_start(std::size_t worker) {
    if (worker != num_started_) return;
    ++num_started_;
    const session_time time = now();
    started_.push_back({worker, host_name(), time, time});
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
  std::vector<worker_start> started_;
  std::size_t num_started_ = 0;  ///< the workers that have had a batch
  std::size_t num_enqueued_ = 0;
};

class threads_executor final : public executor {
 public:
  // No slot is reserved for the calling thread: it waits, and never runs tasks.
  explicit threads_executor(std::size_t num_workers)
      : num_workers_(num_workers), arena_(static_cast<int>(num_workers), 0) {}

  std::string name() const override { return "threads:" + std::to_string(num_workers_); }
  std::size_t num_workers() const override { return num_workers_; }
  /// A computation inside a task runs serially on the thread of this task. Otherwise all workers
  /// could wait for nested tasks without a worker to run them: a deadlock.
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
