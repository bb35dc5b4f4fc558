// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/simulated.hpp"

#include "tessera/core/error.hpp"

#include "executor/simulated/event_queue.hpp"
#include "executor/simulated/options.hpp"
#include "executor/simulated/store.hpp"
#include "executor/simulated/tasks.hpp"
#include "executor/simulated/transfers.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::executors {

namespace {

/// A batch without a completion, and the worker that runs it or that it is bound to.
struct simulated_batch {
  task_batch batch;
  std::size_t worker = any_worker;
  std::optional<session_time> started = std::nullopt;
};

enum class activity { starting, waiting, taking, reading, computing, writing };

struct simulated_worker {
  activity state = activity::starting;
  std::uint64_t ticket = 0;
  index_t done = 0;
  attempt_end end = attempt_end::good;
  session_time move_began{};
  /// The time at which the worker was asked for.
  session_time asked{};
  /// The number of batches that the worker has ended. Events of ended batches are void.
  std::uint64_t num_batches = 0;
};

/// A discrete-event simulation of workers and a store.
///
/// `wait` moves the clock from event to event until a batch is complete. A worker is a state
/// machine; each event ends an activity:
///
///     starting -> waiting -> taking -> (reading -> computing -> writing)* -> waiting
///
/// Activities with a fixed duration are in `events_`. Reading and writing share the bandwidth of
/// `store_`, whose events depend on all concurrent requests.
class simulated_session final : public executor_session {
 public:
  simulated_session(const workload& work, const simulated_options& options)
      : operations_(work.operations()),
        batch_overhead_(options.batch_overhead),
        is_replaceable_(!options.in_process),
        tasks_(options),
        store_(options),
        workers_(options.workers) {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) start_up(worker);
  }

  void submit(const task_batch& batch, std::uint64_t ticket) override {
    in_flight_[ticket] = {batch, batch.worker};
    queues_[batch.worker].push_back(ticket);
    if (batch.worker != any_worker) {
      if (workers_.at(batch.worker).state == activity::waiting) take_next(batch.worker);
    } else if (!free_workers_.empty()) {
      take_next(*free_workers_.begin());
    }
  }

  std::optional<task_completion> wait(std::optional<session_time> until) override {
    while (completions_.empty()) {
      const std::optional<session_time> next = next_event();
      if (!next || (until && *next > *until)) {
        now_ = std::max(now_, until.value());
        return std::nullopt;
      }
      now_ = std::max(now_, *next);
      advance();
    }
    task_completion completion = std::move(completions_.front());
    completions_.pop_front();
    return completion;
  }

  std::vector<worker_start> started_workers() override { return std::exchange(starts_, {}); }

  void cancel() override {
    for (auto& [worker, queue] : queues_) {
      for (const std::uint64_t ticket : queue) answer_dropped(ticket);
      queue.clear();
    }
  }

  std::optional<session_time> started(std::uint64_t ticket) const override {
    const auto submitted = in_flight_.find(ticket);
    return submitted == in_flight_.end() ? std::nullopt : submitted->second.started;
  }

  bool abandon(std::uint64_t ticket) override {
    const auto submitted = in_flight_.find(ticket);
    if (submitted == in_flight_.end()) return false;
    const std::size_t worker = submitted->second.worker;
    if (submitted->second.started) {
      if (!is_replaceable_) return false;
      store_.withdraw(worker, now_);
      end_batch(worker, nullptr);
      start_up(worker);
    } else {
      std::erase(queues_[worker], ticket);
      answer_dropped(ticket);
    }
    return true;
  }

  session_time now() const override { return now_; }

 private:
  [[nodiscard]] std::optional<session_time> next_event() const {
    const std::optional<session_time> of_workers = events_.next();
    const std::optional<session_time> of_store = store_.next_event();
    return of_workers && of_store ? std::min(of_workers, of_store)
           : of_workers           ? of_workers
                                  : of_store;
  }

  void advance() {
    if (events_.next() != now_) {
      if (const auto worker = store_.advance()) go_on(*worker);
      return;
    }
    const event next = events_.take();
    if (workers_[next.worker].num_batches == next.num_batches) go_on(next.worker);
  }

  void be_busy(std::size_t worker, activity with, session_time time) {
    workers_[worker].state = with;
    events_.push(now_ + time, worker, workers_[worker].num_batches);
  }

  /// Starts the next activity of a worker after the end of the current one.
  void go_on(std::size_t worker) {
    switch (workers_[worker].state) {
      case activity::starting:
        starts_.push_back({worker, "simulated", workers_[worker].asked, now_});
        return take_next(worker);
      case activity::waiting:
        return take_next(worker);
      case activity::taking:
        return move(worker, activity::reading);
      case activity::reading:
        return compute(worker);
      case activity::computing:
        if (workers_[worker].end == attempt_end::good) return move(worker, activity::writing);
        return fail(worker);
      case activity::writing:
        return end_task(worker);
    }
  }

  void start_up(std::size_t worker) {
    workers_[worker].asked = now_;
    be_busy(worker, activity::starting, tasks_.start_up(worker, workers_[worker].num_batches));
  }

  void take_next(std::size_t worker) {
    auto queue = queues_.find(worker);
    if (queue == queues_.end() || queue->second.empty()) queue = queues_.find(any_worker);
    if (queue == queues_.end() || queue->second.empty()) {
      workers_[worker].state = activity::waiting;
      free_workers_.insert(worker);
      return;
    }
    free_workers_.erase(worker);
    const std::uint64_t ticket = queue->second.front();
    queue->second.pop_front();
    in_flight_[ticket].worker = worker;
    in_flight_[ticket].started = now_;
    workers_[worker].ticket = ticket;
    workers_[worker].done = 0;
    be_busy(worker, activity::taking, batch_overhead_);
  }

  /// Requests the bytes that the worker's task reads or writes.
  void move(std::size_t worker, activity activity_kind) {
    workers_[worker].state = activity_kind;
    workers_[worker].move_began = now_;
    const workload_operation& operation = operations_[batch_of(worker).operation];
    const simulated_transfer moved = activity_kind == activity::reading
                                         ? transfer_while_reading(operation)
                                         : transfer_of_last_writes(operation);
    if (moved.size == 0) return go_on(worker);
    store_.request(worker, moved, now_);
  }

  /// Computes. A task with reads in flight computes while it reads.
  void compute(std::size_t worker) {
    const task_batch& batch = batch_of(worker);
    const workload_operation& operation = operations_[batch.operation];
    const simulated_attempt attempt =
        tasks_.start(operation, batch.operation, batch.first + workers_[worker].done);
    workers_[worker].end = attempt.end;
    const session_time read_time = now_ - workers_[worker].move_began;
    be_busy(worker, activity::computing, time_behind_reads(operation, attempt.time, read_time));
  }

  void end_task(std::size_t worker) {
    const task_batch& batch = batch_of(worker);
    index_t& done = workers_[worker].done;
    tasks_.end(batch.operation, batch.first + done);
    if (++done < batch.count) return move(worker, activity::reading);
    end_batch(worker, nullptr);
    take_next(worker);
  }

  void fail(std::size_t worker) {
    if (workers_[worker].end == attempt_end::failed) {
      end_batch(worker, std::make_exception_ptr(store_error("simulated: a failure", true)));
      take_next(worker);
    } else {
      end_batch(worker, std::make_exception_ptr(worker_error("simulated: the worker was lost")));
      start_up(worker);
    }
  }

  void end_batch(std::size_t worker, std::exception_ptr failure) {
    simulated_worker& ending = workers_[worker];
    const auto submitted = in_flight_.find(ending.ticket);
    completions_.push_back({ending.ticket,
                            ending.done,
                            std::move(failure),
                            worker,
                            submitted->second.started.value(),
                            now_,
                            {}});
    in_flight_.erase(submitted);
    ++ending.num_batches;
  }

  void answer_dropped(std::uint64_t ticket) {
    in_flight_.erase(ticket);
    completions_.push_back({ticket, 0, nullptr, 0, now_, now_, {}});
  }

  [[nodiscard]] const task_batch& batch_of(std::size_t worker) const {
    return in_flight_.at(workers_[worker].ticket).batch;
  }

  const std::vector<workload_operation>& operations_;
  session_time batch_overhead_;
  bool is_replaceable_;  ///< whether a worker can be stopped and restarted
  simulated_tasks tasks_;
  simulated_store store_;
  std::vector<simulated_worker> workers_;
  std::set<std::size_t> free_workers_;
  std::unordered_map<std::size_t, std::deque<std::uint64_t>> queues_;  ///< of tickets, by worker
  std::unordered_map<std::uint64_t, simulated_batch> in_flight_;
  event_queue events_;
  std::deque<task_completion> completions_;
  std::vector<worker_start> starts_;
  session_time now_{};
};

class simulated_executor final : public executor {
 public:
  explicit simulated_executor(const simulated_options& options) : options_(options) {}

  std::string name() const override { return format_simulated_options(options_); }
  std::size_t num_workers() const override { return options_.workers; }
  executor_traits traits() const override {
    return {.shares_memory = options_.in_process,
            .shares_host = options_.in_process,
            .computes = false,
            .stops_tasks = true,
            .cost_per_batch = options_.batch_overhead,
            .costs = costs_of(options_)};
  }
  std::unique_ptr<executor_session> start(workload& work) override {
    return std::make_unique<simulated_session>(work, options_);
  }

 private:
  simulated_options options_;
};

}  // namespace

std::shared_ptr<executor> simulated(const simulated_options& options) {
  check_simulated_options(options);
  return std::make_shared<simulated_executor>(options);
}

}  // namespace tessera::executors
