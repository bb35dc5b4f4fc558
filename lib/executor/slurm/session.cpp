// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/session.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/interrupt.hpp"

#include "executor/failure_text.hpp"
#include "executor/slurm/worker.hpp"
#include "executor/worker_role.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tessera::slurm {

namespace {

using namespace std::chrono_literals;

/// How long a wait lasts at most, so that who waits looks around for a cancellation.
constexpr session_time longest_wait = 1s;
/// How often Slurm is asked where something is about to end.
constexpr session_time soon = 500ms;

}  // namespace

session::session(workload& work, const slurm_options& options)
    : work_(work),
      options_(options),
      folder_(options.directory),
      queue_(options_, folder_.name()),
      next_look_(options.timing.query) {
  write_recipe(folder_.path() / recipe_file, work.recipe());
  remove_orphans(folder_.path().parent_path(), cancel_jobs);
}

session::~session() {
  const bool is_open = std::any_of(arrays_.begin(), arrays_.end(),
                                   [](const auto& each) { return each.second.num_open > 0; });
  if (is_open || may_have_strays_) queue_.end_all();
}

/// Measured by a worker that makes the workload and runs nothing.
bytes session::reserved_memory() {
  if (reserved_) return *reserved_;
  std::vector<std::string> command{
      "env", "OPENBLAS_NUM_THREADS=1",
      fmt::format("{}={}:{}{}", worker_variable, role, measure_prefix, folder_.path().string())};
  for (std::string& word : this_program()) command.push_back(std::move(word));
  const command_result result = run_command(command);
  const auto text = read_whole_file(folder_.path() / reserved_file);
  if (!result.is_well || !text) {
    throw value_error("slurm: this program, started once more, is no worker: " + result.complaint);
  }
  reserved_ = bytes{std::stoull(*text)};
  return *reserved_;
}

void session::submit(const task_batch& batch, std::uint64_t ticket) {
  waiting_.push_back({batch, ticket});
}

std::optional<task_completion> session::wait(std::optional<session_time> until) {
  const session_time end = std::min(until.value_or(session_time::max()), now() + longest_wait);
  while (answers_.empty()) {
    make_arrays();
    submit_arrays();
    collect();
    if (now() >= next_look_) look_after_jobs();
    if (!answers_.empty()) break;
    if (now() >= end || (interrupt_requested() && !is_cancelled_)) return std::nullopt;
    std::this_thread::sleep_until(
        clock_.at(std::min<session_time>(end, now() + options_.timing.poll)));
  }
  const task_completion first = answers_.front();
  answers_.pop_front();
  return first;
}

/// Makes arrays of what waits, each of one operation and as long as Slurm allows.
void session::make_arrays() {
  if (waiting_.empty()) return;
  const auto most = queue_.max_elements(now());
  if (!most) return;
  while (!waiting_.empty()) {
    const std::size_t operation = waiting_.front().batch.operation;
    const std::size_t number = next_array_++;
    job_array array{array_folder(folder_.path() / std::to_string(number))};
    array_order order{operation, work_.operations()[operation].task_memory, options_.workers};
    std::deque<submission> others;
    for (const submission& one : waiting_) {
      if (one.batch.operation != operation || array.elements.size() == *most) {
        others.push_back(one);
        continue;
      }
      places_[one.ticket] = {number, array.elements.size()};
      array.elements.push_back({one});
      order.batches.push_back({one.batch.first, one.batch.first + one.batch.count});
    }
    waiting_ = std::move(others);
    array.num_open = array.elements.size();
    array.folder.write_order(order);
    arrays_.emplace(number, std::move(array));
  }
}

void session::submit_arrays() {
  for (auto& [number, array] : arrays_) {
    if (!array.job.empty() || array.num_open == 0) continue;
    const std::size_t operation = array.elements.front().what.batch.operation;
    const workload_operation& what = work_.operations()[operation];
    const auto job = queue_.submit({number, what.name, array.elements.size(),
                                    reserved_memory() + what.task_memory, array.folder.path()},
                                   now());
    // Slurm may have taken what it could not say that it has.
    if (!job) may_have_strays_ = true;
    if (!job) return;
    array.job = *job;
  }
}

task_completion session::dropped(std::uint64_t ticket) const {
  return {ticket, 0, nullptr, 0, now(), now(), {}};
}

/// Takes what elements have said of themselves.
void session::collect() {
  for (auto& [number, array] : arrays_) {
    if (array.num_open == 0) continue;
    std::vector<std::size_t> ended;
    array.folder.look(
        [&, &elements = array.elements](std::size_t index) {
          element& one = elements.at(index);
          if (!one.started) one.started = now();
        },
        [&, &elements = array.elements](std::size_t index) {
          if (!elements.at(index).is_answered) ended.push_back(index);
        });
    for (const std::size_t index : ended) take_report(array, index);
  }
  forget_finished();
}

void session::take_report(job_array& array, std::size_t index) {
  const auto report = array.folder.read_report(index);
  element& one = array.elements[index];
  if (!report || one.is_answered) return;
  const session_time began = time_of(report->started);
  task_completion completion{
      one.what.ticket,          report->done, nullptr,
      index % options_.workers, began,        std::max(began, time_of(report->ended)),
      report->peak_memory};
  if (!report->failure.empty()) completion.failure = decode_failure(report->failure);
  --array.num_open;
  answer(one, completion);
}

/// Hosts' clocks may differ: a time is at least within the session.
session_time session::time_of(std::chrono::system_clock::time_point time) const {
  return std::clamp<session_time>(time - began_, session_time{}, now());
}

void session::answer(element& one, task_completion completion) {
  one.is_answered = true;
  places_.erase(one.what.ticket);
  answers_.push_back(std::move(completion));
}

void session::drop(element& one) { answer(one, dropped(one.what.ticket)); }

void session::forget_finished() {
  for (auto each = arrays_.begin(); each != arrays_.end();) {
    if (each->second.num_open > 0) {
      ++each;
      continue;
    }
    std::error_code ignored;
    std::filesystem::remove_all(each->second.folder.path(), ignored);
    each = arrays_.erase(each);
  }
}

/// Asks Slurm for elements that will not report.
void session::look_after_jobs() {
  if (is_cancelled_ && !has_cancelled_jobs_) has_cancelled_jobs_ = queue_.cancel_waiting(now());
  const auto listed = queue_.list(now());
  next_look_ = now() + (is_cancelled_ ? soon : session_time(options_.timing.query));
  if (!listed) {
    next_look_ = now();
    return;
  }
  // Of several copies of an element, one that lives counts.
  std::map<std::pair<std::size_t, std::size_t>, const queued_element*> known;
  for (const queued_element& each : *listed) {
    const queued_element*& place = known[{each.array, each.element}];
    if (place == nullptr || has_ended(place->state)) place = &each;
  }
  for (auto& [number, array] : arrays_) {
    if (array.job.empty()) continue;
    for (std::size_t index = 0; index < array.elements.size(); ++index) {
      if (array.elements[index].is_answered) continue;
      const auto found = known.find({number, index});
      look_after(array, index, found == known.end() ? nullptr : found->second);
    }
  }
  forget_finished();
}

void session::look_after(job_array& array, std::size_t index, const queued_element* known) {
  element& one = array.elements[index];
  const queued_element last_seen = known != nullptr ? *known : queued_element{};
  if (known != nullptr && !has_ended(known->state)) {
    one.missing_since.reset();
    if (one.is_abandoned) next_look_ = std::min(next_look_, now() + soon);
    if (!find_hindrance(*known)) return;
    if (!queue_.cancel_element(array.job, index, now())) may_have_strays_ = true;
    lose(array, index, last_seen);
    return;
  }
  take_report(array, index);
  if (one.is_answered) return;
  if (one.is_abandoned || (is_cancelled_ && !one.started)) {
    --array.num_open;
    drop(one);
    return;
  }
  if (!one.missing_since) one.missing_since = now();
  const session_time due = *one.missing_since + options_.timing.visible;
  if (find_hindrance(last_seen) || now() >= due) {
    lose(array, index, last_seen);
  } else {
    next_look_ = std::min(next_look_, std::max<session_time>(due, now() + options_.timing.poll));
  }
}

void session::lose(job_array& array, std::size_t index, const queued_element& last_seen) {
  element& one = array.elements[index];
  const index_t done = std::min(array.folder.read_progress(index), one.what.batch.count);
  task_completion completion{
      one.what.ticket, done, nullptr, index % options_.workers, one.started.value_or(now()),
      now(),           {}};
  if (done < one.what.batch.count) {
    const auto hindered = find_hindrance(last_seen);
    const std::string message =
        fmt::format("the job {}_{} {}", array.job, index,
                    describe_loss(last_seen, array.folder.last_words(index)));
    completion.failure = hindered && !hindered->may_pass
                             ? std::make_exception_ptr(value_error("slurm: " + message))
                             : std::make_exception_ptr(worker_error("slurm: " + message));
  }
  --array.num_open;
  answer(one, completion);
}

void session::cancel() {
  is_cancelled_ = true;
  write_whole_file(folder_.path() / cancelled_file, "");
  for (const submission& one : std::exchange(waiting_, {})) {
    answers_.push_back(dropped(one.ticket));
  }
  for (auto& [number, array] : arrays_) {
    if (!array.job.empty()) continue;
    for (element& one : array.elements) drop(one);
    array.num_open = 0;
  }
  forget_finished();
  next_look_ = now();
}

std::optional<session_time> session::started(std::uint64_t ticket) const {
  const auto place = places_.find(ticket);
  if (place == places_.end()) return std::nullopt;
  return arrays_.at(place->second.first).elements[place->second.second].started;
}

bool session::abandon(std::uint64_t ticket) {
  const auto place = places_.find(ticket);
  if (place == places_.end()) return false;
  const auto [number, index] = place->second;
  job_array& array = arrays_.at(number);
  if (array.job.empty() || !queue_.cancel_element(array.job, index, now())) return false;
  array.elements[index].is_abandoned = true;
  next_look_ = now();
  return true;
}

}  // namespace tessera::slurm
