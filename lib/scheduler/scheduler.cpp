// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/scheduler.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/host_memory.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/scheduler/interrupt.hpp"
#include "tessera/scheduler/team.hpp"

#include "scheduler/agenda.hpp"
#include "scheduler/flights.hpp"
#include "scheduler/interruptible_scope.hpp"
#include "scheduler/memory_admission.hpp"
#include "scheduler/outline.hpp"
#include "scheduler/retries.hpp"
#include "scheduler/watchdog.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tessera {

namespace {

using namespace std::chrono_literals;

/// How often an interrupt is looked for while nothing runs and retries pause.
constexpr session_time interrupt_poll = 100ms;

/// One call of `run`.
class scheduling {
 public:
  scheduling(workload& work, executor& engine, const run_options& options);

  void run();

 private:
  /// The failure that ends the run.
  struct fatal_failure {
    std::size_t operation = 0;
    index_t task = 0;
    int attempts = 0;
    std::exception_ptr cause;
  };

  /// What is known of an operation while it runs.
  struct progress {
    bool has_begun = false;
    bool has_ended = false;
    std::size_t num_flights = 0;
  };

  void run_all();
  [[nodiscard]] bool is_stopping() const;
  void hand_out();
  void hand_out_from(std::size_t operation);
  [[nodiscard]] bool begin_if_allowed(std::size_t operation);
  std::size_t submit(task_batch batch);
  void look_for_late_batches();
  void start_backup(std::size_t straggler);
  void wait_for_completion();
  void complete(const task_completion& completion);
  void count_tasks(const flight& ended, const task_completion& completion);
  void take_failure(const flight& ended, const task_completion& completion);
  void put_back_rest(const flight& ended, index_t first, bool is_lost);
  void end_if_done(std::size_t operation);
  void end_if_through(std::size_t operation);
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
  executor_traits traits_;
  interruptible_scope scope_;
  operation_order order_;
  memory_admission admission_;
  retries retries_;
  watchdog watchdog_;
  flight_table flights_;
  agenda agenda_;
  std::vector<progress> progress_;
  index_t num_tasks_ = 0;
  index_t num_done_ = 0;
  std::size_t num_ended_ = 0;
  std::optional<fatal_failure> failure_;
  std::unique_ptr<executor_session> session_;
};

/// Workers that are elsewhere use nothing of this host's memory, so that nothing limits them.
memory_admission::limits limits_of(const executor_traits& traits, const executor& engine,
                                   const run_options& options) {
  const std::size_t n = engine.num_workers();
  if (!traits.shares_host) return {bytes{std::numeric_limits<std::uint64_t>::max() / 2}, {}, {}, n};
  const bytes used = options.baseline + traits.worker_memory * n;
  const bytes all = options.room ? std::min(host_memory(), used + *options.room) : host_memory();
  return {options.host_memory.value_or(all), used, options.afterwards, n};
}

// Twice as many batches as workers are handed out, so that a worker finds its next batch at once.
scheduling::scheduling(workload& work, executor& engine, const run_options& options)
    : work_(work),
      engine_(engine),
      options_(options),
      operations_(work.operations()),
      traits_(engine.traits()),
      order_(operations_),
      admission_(operations_, order_, limits_of(traits_, engine, options)),
      retries_(options.retry),
      watchdog_(operations_, options),
      flights_(traits_.max_batches != 0 ? traits_.max_batches : 2 * engine.num_workers()),
      agenda_(work, order_, engine.num_workers(), traits_.cost_per_batch),
      progress_(operations_.size()) {
  for (const workload_operation& operation : operations_) num_tasks_ += operation.num_tasks;
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

void scheduling::hand_out() {
  while (const auto task = retries_.take_due(session_->now())) agenda_.put_back(*task);
  agenda_.restart();
  while (!flights_.full()) {
    const std::optional<std::size_t> operation = agenda_.next();
    if (!operation) return;
    hand_out_from(*operation);
  }
}

/// Hands out tasks while there are tickets and memory.
void scheduling::hand_out_from(std::size_t operation) {
  if (agenda_.num_left(operation) == 0) {
    (void)begin_if_allowed(operation);
    return;
  }
  while (!flights_.full()) {
    const std::optional<task_batch> batch = agenda_.take(operation);
    if (!batch) return;
    if (!begin_if_allowed(operation) || !admission_.may_run(operation)) {
      return agenda_.give_back(*batch);
    }
    submit(*batch);
  }
}

/// What an operation holds must not cost workers that could run tasks of those that it reads from.
bool scheduling::begin_if_allowed(std::size_t operation) {
  progress& own = progress_[operation];
  if (own.has_begun) return true;
  if (!admission_.may_begin(operation)) return false;
  const bool is_early = !agenda_.has_all_sources(operation);
  const bool holds_memory = operations_[operation].resident_memory > bytes{};
  if (is_early && holds_memory && !admission_.leaves_room_for_workers(operation)) return false;
  admission_.begin(operation);
  own.has_begun = true;
  work_.limit_tasks(admission_.room_for_tasks());
  work_.begin(operation);
  notify(&observer::on_operation_begin, operation, session_->now());
  const index_t num_resumed = operations_[operation].num_tasks - agenda_.num_left(operation);
  if (num_resumed > 0) {
    num_done_ += num_resumed;
    notify(&observer::on_tasks_resumed, operation, num_resumed);
  }
  agenda_.begin(operation);
  end_if_done(operation);
  return true;
}

std::size_t scheduling::submit(task_batch batch) {
  batch.may_keep = admission_.has_room_for_all();
  const int attempt = batch.count == 1 ? retries_.next_attempt(batch.operation, batch.first) : 1;
  const std::size_t ticket = flights_.open(batch, attempt);
  ++progress_[batch.operation].num_flights;
  agenda_.handed_out(batch);
  admission_.task_begins(batch.operation);
  session_->submit(batch, ticket);
  return ticket;
}

void scheduling::look_for_late_batches() {
  const bool has_idle_worker = flights_.size() < engine_.num_workers();
  const watchdog::findings found = watchdog_.look(flights_, *session_, has_idle_worker);
  for (const std::size_t ticket : found.late) {
    flights_[ticket].has_timed_out = true;
    session_->abandon(ticket);
  }
  if (failure_ || is_stopping()) return;
  for (const std::size_t ticket : found.stragglers) {
    if (flights_.size() >= engine_.num_workers()) return;
    if (admission_.may_run(flights_[ticket].batch.operation)) start_backup(ticket);
  }
}

void scheduling::start_backup(std::size_t straggler) {
  const task_batch batch = flights_[straggler].batch;
  flights_.make_twins(straggler, submit(batch));
  notify(&observer::on_backup, batch.operation, batch.first, session_->now());
}

void scheduling::wait_for_completion() {
  look_for_late_batches();
  const bool is_draining = failure_ || is_stopping();
  std::optional<session_time> until = is_draining ? std::nullopt : retries_.next_due();
  if (flights_.empty()) {
    if (is_draining) return;
    if (!until) throw std::logic_error("run: operations are left, but none can begin");
    until = std::min(*until, session_->now() + interrupt_poll);
  } else if (const auto look = watchdog_.next_look()) {
    until = std::min(until.value_or(*look), *look);
  }
  if (const auto completion = session_->wait(until)) complete(*completion);
}

void scheduling::complete(const task_completion& completion) {
  const flight ended = flights_.close(static_cast<std::size_t>(completion.ticket));
  const std::size_t operation = ended.batch.operation;
  --progress_[operation].num_flights;
  agenda_.answered(ended.batch);
  admission_.task_ends(operation);
  if (!ended.is_superseded) {
    const bool is_whole = completion.done == ended.batch.count;
    if (is_whole && ended.twin) {
      flights_[*ended.twin].is_superseded = true;
      session_->abandon(*ended.twin);
    }
    // What one of two copies did before it failed is left to the other.
    if (is_whole || !ended.twin) count_tasks(ended, completion);
    if (!is_whole) take_failure(ended, completion);
  }
  if (!failure_ && !is_stopping()) end_if_done(operation);
}

void scheduling::count_tasks(const flight& ended, const task_completion& completion) {
  if (completion.done == 0) return;
  const task_batch& batch = ended.batch;
  num_done_ += completion.done;
  agenda_.end(batch.operation, {batch.first, batch.first + completion.done});
  watchdog_.batch_ended(batch.operation, (completion.ended - completion.started) / completion.done);
  const bool is_whole = completion.done == batch.count;
  notify(&observer::on_tasks_end,
         tasks_event{batch.operation, batch.first, completion.done, completion.worker,
                     ended.attempt, completion.started, completion.ended, completion.peak_memory,
                     is_whole ? completion.moved : std::nullopt});
}

/// A batch that was dropped because the run is stopping has no failure.
void scheduling::take_failure(const flight& ended, const task_completion& completion) {
  std::exception_ptr failure = completion.failure;
  if (!failure && ended.has_timed_out) {
    const std::chrono::duration<double> limit = *options_.task_timeout;
    failure = std::make_exception_ptr(timeout_error(
        fmt::format("the task ran for longer than its time-out of {:.3g} s", limit.count())));
  }
  if (!failure) return;
  const std::size_t operation = ended.batch.operation;
  const index_t task = ended.batch.first + (ended.twin ? 0 : completion.done);
  const int attempt = retries_.next_attempt(operation, task);
  const bool may_go_on = !failure_ && !is_stopping();
  bool is_retried = retries_.count_failure(operation, task, failure) && may_go_on;
  if (is_retried && !ended.twin) {
    retries_.pause({operation, task, 1, ended.batch.worker}, session_->now());
    put_back_rest(ended, task + 1, is_loss(failure));
  } else if (!is_retried && may_go_on) {
    failure_ = fatal_failure{operation, task, attempt, failure};
  }
  notify(&observer::on_failure, failure_event{operation, task, completion.worker, attempt,
                                              describe_cause(failure), is_retried});
}

/// Where nobody knows which task of a batch was the bad one, the others go one by one, so that it
/// cannot take them along again.
void scheduling::put_back_rest(const flight& ended, index_t first, bool is_lost) {
  const task_batch& batch = ended.batch;
  const index_t end = batch.first + batch.count;
  if (first == end) return;
  const index_t count = is_lost ? 1 : end - first;
  for (; first < end; first += count) {
    agenda_.put_back({batch.operation, first, count, batch.worker});
  }
}

/// Once an operation is done, it may end, and so may its readers that were done before it: they did
/// not read all that it makes.
void scheduling::end_if_done(std::size_t operation) {
  if (!agenda_.is_done(operation)) return;
  end_if_through(operation);
  for (const std::size_t reader : order_.readers[operation]) end_if_through(reader);
}

/// Ends an operation that is done, with all that it reads from, and of which no superseded copy of
/// a task is under way that may still read its inputs.
void scheduling::end_if_through(std::size_t operation) {
  progress& own = progress_[operation];
  const bool is_through = own.has_begun && agenda_.is_done(operation) &&
                          agenda_.has_all_sources(operation) && own.num_flights == 0;
  if (!is_through || std::exchange(own.has_ended, true)) return;
  work_.end(operation);
  admission_.end(operation);
  work_.limit_tasks(admission_.room_for_tasks());
  ++num_ended_;
  agenda_.restart();  // there may be room for what had none
  notify(&observer::on_operation_end, operation, session_->now());
}

void scheduling::drain() {
  session_->cancel();
  while (!flights_.empty()) wait_for_completion();
}

void scheduling::throw_task_error() const {
  const auto& [operation, task, attempts, cause] = *failure_;
  const std::string what = fmt::format("operation \"{}\", {}", operations_[operation].name,
                                       work_.describe(operation, task));
  const task_error error(describe_failure(what, attempts, cause) + options_.how_to_continue);
  try {
    std::rethrow_exception(cause);
  } catch (...) {
    std::throw_with_nested(error);
  }
}

void scheduling::throw_interrupted() const {
  const std::string by = interrupt_requested() ? "an interrupt" : "a request to cancel it";
  throw interrupted_error(
      fmt::format("run: stopped by {} after {} of {} tasks{}", by, num_done_, num_tasks_,
                  options_.how_to_continue.empty() ? "; what it was storing is incomplete"
                                                   : options_.how_to_continue));
}

void scheduling::finish(computation_outcome outcome) {
  const session_time end = session_->now();
  session_.reset();
  notify(&observer::on_computation_end, outcome, end);
}

}  // namespace

void run(workload& work, executor& engine, const run_options& options) {
  run_together(work, engine, [&] {
    outline only(work);
    scheduling(engine.traits().computes ? work : only, engine, options).run();
  });
}

}  // namespace tessera
