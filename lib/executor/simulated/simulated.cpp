// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/simulated.hpp"

#include "tessera/core/error.hpp"

#include "executor/simulated/event_queue.hpp"
#include "executor/simulated/options.hpp"
#include "executor/simulated/store.hpp"
#include "executor/simulated/tasks.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::executors {

namespace {

/// A batch that has not been answered, and the worker that runs it or has to.
struct flight {
  task_batch batch;
  std::size_t worker = any_worker;
  std::optional<session_time> started = std::nullopt;
};

enum class activity { starting, waiting, taking, reading, computing, writing };

struct simulated_worker {
  activity does = activity::starting;
  std::uint64_t ticket = 0;
  index_t done = 0;
  attempt_end end = attempt_end::good;
  /// How many batches it has ended; events of earlier ones are void.
  std::uint64_t num_batches = 0;
};

/// Discrete events: the clock jumps to the next one when a completion is waited for.
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
    flights_[ticket] = {batch, batch.worker};
    queues_[batch.worker].push_back(ticket);
    if (batch.worker != any_worker) {
      if (workers_.at(batch.worker).does == activity::waiting) take_next(batch.worker);
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

  void cancel() override {
    for (auto& [worker, queue] : queues_) {
      for (const std::uint64_t ticket : queue) answer_dropped(ticket);
      queue.clear();
    }
  }

  std::optional<session_time> started(std::uint64_t ticket) const override {
    const auto found = flights_.find(ticket);
    return found == flights_.end() ? std::nullopt : found->second.started;
  }

  bool abandon(std::uint64_t ticket) override {
    const auto found = flights_.find(ticket);
    if (found == flights_.end()) return false;
    const std::size_t worker = found->second.worker;
    if (found->second.started) {
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
    const std::optional<session_time> own = events_.next();
    const std::optional<session_time> of_store = store_.next_event();
    return own && of_store ? std::min(own, of_store) : own ? own : of_store;
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
    workers_[worker].does = with;
    events_.push(now_ + time, worker, workers_[worker].num_batches);
  }

  /// What the worker does is over.
  void go_on(std::size_t worker) {
    switch (workers_[worker].does) {
      case activity::starting:
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
    be_busy(worker, activity::starting, tasks_.start_up(worker, workers_[worker].num_batches));
  }

  void take_next(std::size_t worker) {
    auto queue = queues_.find(worker);
    if (queue == queues_.end() || queue->second.empty()) queue = queues_.find(any_worker);
    if (queue == queues_.end() || queue->second.empty()) {
      workers_[worker].does = activity::waiting;
      free_workers_.insert(worker);
      return;
    }
    free_workers_.erase(worker);
    const std::uint64_t ticket = queue->second.front();
    queue->second.pop_front();
    flights_[ticket].worker = worker;
    flights_[ticket].started = now_;
    workers_[worker].ticket = ticket;
    workers_[worker].done = 0;
    be_busy(worker, activity::taking, batch_overhead_);
  }

  /// Reads what the worker's task reads, or writes what it writes.
  void move(std::size_t worker, activity how) {
    workers_[worker].does = how;
    const workload_operation& operation = operations_[batch_of(worker).operation];
    const bool reads = how == activity::reading;
    const bytes size = reads ? operation.bytes_read_per_task : operation.bytes_written_per_task;
    if (size == bytes{}) return go_on(worker);
    store_.request(worker, size, reads ? operation.reads_per_task : operation.writes_per_task,
                   now_);
  }

  void compute(std::size_t worker) {
    const task_batch& batch = batch_of(worker);
    const simulated_attempt attempt = tasks_.start(operations_[batch.operation], batch.operation,
                                                   batch.first + workers_[worker].done);
    workers_[worker].end = attempt.end;
    be_busy(worker, activity::computing, attempt.time);
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
    simulated_worker& own = workers_[worker];
    const auto found = flights_.find(own.ticket);
    completions_.push_back({own.ticket,
                            own.done,
                            std::move(failure),
                            worker,
                            found->second.started.value(),
                            now_,
                            {}});
    flights_.erase(found);
    ++own.num_batches;
  }

  void answer_dropped(std::uint64_t ticket) {
    flights_.erase(ticket);
    completions_.push_back({ticket, 0, nullptr, 0, now_, now_, {}});
  }

  [[nodiscard]] const task_batch& batch_of(std::size_t worker) const {
    return flights_.at(workers_[worker].ticket).batch;
  }

  const std::vector<workload_operation>& operations_;
  session_time batch_overhead_;
  bool is_replaceable_;  ///< whether a worker can be stopped and another one take its place
  simulated_tasks tasks_;
  simulated_store store_;
  std::vector<simulated_worker> workers_;
  std::set<std::size_t> free_workers_;
  std::unordered_map<std::size_t, std::deque<std::uint64_t>> queues_;  ///< of tickets, by worker
  std::unordered_map<std::uint64_t, flight> flights_;
  event_queue events_;
  std::deque<task_completion> completions_;
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
            .cost_per_batch = options_.batch_overhead};
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
