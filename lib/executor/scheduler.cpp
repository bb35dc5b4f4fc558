// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/scheduler.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/host_memory.hpp"
#include "tessera/executor/interrupt.hpp"

#include "executor/interruptible_scope.hpp"
#include "executor/memory_admission.hpp"
#include "executor/retries.hpp"
#include "executor/task_queue.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace tessera {

namespace {

using namespace std::chrono_literals;

/// How often an interrupt is looked for while nothing runs and retries pause.
constexpr session_time interrupt_poll = 100ms;

std::string describe_cause(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "out of memory (std::bad_alloc)";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

/// One call of `run`.
class scheduling {
 public:
  scheduling(workload& work, executor& engine, const run_options& options);

  void run();

 private:
  /// A batch that was submitted and not answered; its ticket is its position.
  struct flight {
    task_batch batch;
    int attempt = 1;
  };

  /// The failure that ends the run.
  struct fatal_failure {
    std::size_t operation = 0;
    index_t task = 0;
    int attempts = 0;
    std::exception_ptr cause;
  };

  void run_all();
  [[nodiscard]] bool is_stopping() const;
  void make_ready(std::size_t operation);
  void hand_out();
  [[nodiscard]] bool hand_out_from(std::size_t operation);
  [[nodiscard]] bool begin_if_allowed(std::size_t operation);
  void submit(const task_batch& batch);
  void wait_for_completion();
  void complete(const task_completion& completion);
  void take_failure(const task_batch& batch, const task_completion& completion);
  void end_if_done(std::size_t operation);
  void drain();
  [[noreturn]] void throw_task_error() const;
  [[noreturn]] void throw_interrupted() const;
  void finish(computation_outcome outcome);

  template <class Member, class... Arguments>
  void notify(Member member, const Arguments&... arguments) const {
    for (const auto& watcher : options_.observers) (*watcher.*member)(arguments...);
  }

  workload& work_;
  executor& engine_;
  const run_options& options_;
  const std::vector<workload_operation>& operations_;
  interruptible_scope scope_;
  operation_order order_;
  memory_admission admission_;
  retries retries_;
  std::size_t max_flights_;
  std::vector<std::size_t> rank_;  ///< position of each operation in the order's sequence
  std::vector<task_queue> queues_;
  std::vector<index_t> num_left_;
  std::vector<std::size_t> open_sources_;
  std::vector<bool> has_begun_;
  std::vector<std::size_t> ready_;  ///< operations that may hand out tasks, sorted by rank
  std::vector<flight> flights_;
  std::vector<std::size_t> free_tickets_;
  index_t num_tasks_ = 0;
  index_t num_done_ = 0;
  std::size_t num_ended_ = 0;
  std::optional<fatal_failure> failure_;
  std::unique_ptr<executor_session> session_;
};

// Twice as many batches as workers are handed out, so that a worker finds its next batch at once.
scheduling::scheduling(workload& work, executor& engine, const run_options& options)
    : work_(work),
      engine_(engine),
      options_(options),
      operations_(work.operations()),
      order_(operations_),
      admission_(operations_, order_, options.host_memory ? *options.host_memory : host_memory(),
                 options.baseline),
      retries_(options.retry),
      max_flights_(2 * engine.num_workers()),
      rank_(operations_.size()),
      has_begun_(operations_.size(), false),
      flights_(max_flights_) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    rank_[order_.sequence[i]] = i;
    queues_.emplace_back(i, operations_[i], engine.num_workers());
    num_left_.push_back(operations_[i].num_tasks);
    open_sources_.push_back(order_.sources[i].size());
    num_tasks_ += operations_[i].num_tasks;
  }
  for (std::size_t ticket = max_flights_; ticket-- > 0;) free_tickets_.push_back(ticket);
}

void scheduling::run() {
  session_ = engine_.start(work_);
  notify(&observer::on_computation_begin,
         computation_event{operations_, engine_.name(), engine_.num_workers()});
  try {
    run_all();
  } catch (const interrupted_error&) {
    finish(computation_outcome::interrupted);
    throw;
  } catch (...) {
    finish(computation_outcome::failed);
    throw;
  }
  finish(computation_outcome::completed);
}

void scheduling::run_all() {
  for (const std::size_t operation : order_.sequence) {
    if (open_sources_[operation] == 0) make_ready(operation);
  }
  while (num_ended_ < operations_.size() && !failure_ && !is_stopping()) {
    hand_out();
    if (num_ended_ < operations_.size()) wait_for_completion();
  }
  if (num_ended_ == operations_.size()) return;
  drain();
  if (failure_) throw_task_error();
  throw_interrupted();
}

bool scheduling::is_stopping() const {
  return interrupt_requested() || options_.cancellation.stop_requested();
}

void scheduling::make_ready(std::size_t operation) {
  const auto by_rank = [this](std::size_t a, std::size_t b) { return rank_[a] < rank_[b]; };
  const auto place = std::lower_bound(ready_.begin(), ready_.end(), operation, by_rank);
  if (place == ready_.end() || *place != operation) ready_.insert(place, operation);
}

void scheduling::hand_out() {
  while (const auto task = retries_.take_due(session_->now())) {
    queues_[task->operation].put_back(*task);
    make_ready(task->operation);
  }
  // An operation that ends at once, having no tasks, changes `ready_`: start again then.
  std::size_t i = 0;
  while (i < ready_.size() && !free_tickets_.empty()) {
    const std::size_t num_ended = num_ended_;
    if (hand_out_from(ready_[i])) {
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
    if (num_ended_ != num_ended) i = 0;
  }
}

/// Hands out tasks while there are tickets and memory; tells whether none is left.
bool scheduling::hand_out_from(std::size_t operation) {
  if (!has_begun_[operation] && !begin_if_allowed(operation)) return false;
  task_queue& queue = queues_[operation];
  while (!queue.empty()) {
    if (free_tickets_.empty() || !admission_.may_run(operation)) return false;
    submit(queue.take());
  }
  return true;
}

bool scheduling::begin_if_allowed(std::size_t operation) {
  if (!admission_.may_begin(operation)) return false;
  admission_.begin(operation);
  has_begun_[operation] = true;
  work_.begin(operation);
  notify(&observer::on_operation_begin, operation, session_->now());
  end_if_done(operation);
  return true;
}

void scheduling::submit(const task_batch& batch) {
  const std::size_t ticket = free_tickets_.back();
  free_tickets_.pop_back();
  const int attempt = batch.count == 1 ? retries_.next_attempt(batch.operation, batch.first) : 1;
  flights_[ticket] = {batch, attempt};
  admission_.task_begins(batch.operation);
  session_->submit(batch, ticket);
}

void scheduling::wait_for_completion() {
  std::optional<session_time> until = retries_.next_due();
  if (free_tickets_.size() == max_flights_) {
    if (!until) throw std::logic_error("run: operations are left, but none can begin");
    until = std::min(*until, session_->now() + interrupt_poll);
  }
  if (const auto completion = session_->wait(until)) complete(*completion);
}

void scheduling::complete(const task_completion& completion) {
  const auto ticket = static_cast<std::size_t>(completion.ticket);
  const auto [batch, attempt] = flights_[ticket];
  free_tickets_.push_back(ticket);
  admission_.task_ends(batch.operation);
  if (completion.done > 0) {
    num_done_ += completion.done;
    num_left_[batch.operation] -= completion.done;
    notify(&observer::on_tasks_end,
           tasks_event{batch.operation, batch.first, completion.done, completion.worker, attempt,
                       completion.started, completion.ended, completion.peak_memory});
  }
  if (completion.failure) take_failure(batch, completion);
  if (!failure_ && !is_stopping()) end_if_done(batch.operation);
}

void scheduling::take_failure(const task_batch& batch, const task_completion& completion) {
  const index_t task = batch.first + completion.done;
  const int attempt = retries_.next_attempt(batch.operation, task);
  const bool may_go_on = !failure_ && !is_stopping();
  const bool is_retried =
      retries_.try_again(batch.operation, task, completion.failure, session_->now()) && may_go_on;
  if (!is_retried && may_go_on) {
    failure_ = fatal_failure{batch.operation, task, attempt, completion.failure};
  }
  const index_t num_after = batch.first + batch.count - task - 1;
  if (num_after > 0) {
    queues_[batch.operation].put_back({batch.operation, task + 1, num_after});
    make_ready(batch.operation);
  }
  notify(&observer::on_failure, failure_event{batch.operation, task, completion.worker, attempt,
                                              describe_cause(completion.failure), is_retried});
}

void scheduling::end_if_done(std::size_t operation) {
  if (num_left_[operation] != 0) return;
  work_.end(operation);
  admission_.end(operation);
  ++num_ended_;
  notify(&observer::on_operation_end, operation, session_->now());
  for (const std::size_t reader : order_.readers[operation]) {
    if (--open_sources_[reader] == 0) make_ready(reader);
  }
}

void scheduling::drain() {
  session_->cancel();
  while (free_tickets_.size() != max_flights_) {
    if (const auto completion = session_->wait(std::nullopt)) complete(*completion);
  }
}

void scheduling::throw_task_error() const {
  const auto& [operation, task, attempts, cause] = *failure_;
  const std::string tries = attempts == 1 ? "" : " after " + std::to_string(attempts) + " attempts";
  const task_error error("operation \"" + operations_[operation].name + "\", " +
                         work_.describe(operation, task) + ": the task failed" + tries + ": " +
                         describe_cause(cause));
  try {
    std::rethrow_exception(cause);
  } catch (...) {
    std::throw_with_nested(error);
  }
}

void scheduling::throw_interrupted() const {
  const std::string by = interrupt_requested() ? "an interrupt" : "a request to cancel it";
  throw interrupted_error("run: stopped by " + by + " after " + std::to_string(num_done_) + " of " +
                          std::to_string(num_tasks_) + " tasks; what it was storing is incomplete");
}

void scheduling::finish(computation_outcome outcome) {
  const session_time end = session_->now();
  session_.reset();
  notify(&observer::on_computation_end, outcome, end);
}

}  // namespace

void run(workload& work, executor& engine, const run_options& options) {
  scheduling(work, engine, options).run();
}

}  // namespace tessera
