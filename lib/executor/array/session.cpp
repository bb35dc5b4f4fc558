// SPDX-License-Identifier: Apache-2.0
#include "executor/array/session.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/scheduler/interrupt.hpp"

#include "core/api/location_names.hpp"
#include "executor/api/named_run.hpp"
#include "executor/api/this_program.hpp"
#include "executor/array/directory_messages.hpp"
#include "executor/array/run_command.hpp"
#include "executor/array/worker.hpp"
#include "executor/array/worker_command.hpp"
#include "executor/build_id.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tessera::job_arrays {

namespace {

using namespace std::chrono_literals;

/// The longest wait, after which the caller checks for a cancellation.
constexpr session_time longest_wait = 1s;
/// The period of queries while an element is about to end.
constexpr session_time soon = 500ms;

/// Returns the name of a computation for a run in a store, which another program may take over.
std::string name_of(workload& work, const std::string& directory) {
  auto* const named = is_location(directory) ? dynamic_cast<named_run*>(&work) : nullptr;
  return named != nullptr ? named->run_name() : std::string();
}

}  // namespace

session::session(workload& work, const array_options& options)
    : work_(work),
      options_(options),
      folder_(options.directory, options.name, name_of(work, options.directory),
              {options.timing.renewal, options.timing.silence, options.timing.look}),
      system_(options.connect(folder_.name())),
      list_timer_(folder_.messages()->periods().list),
      next_query_(options.timing.query) {
  folder_.messages()->put(build_file, build_id());
  write_recipe(*folder_.messages(), recipe_file, work.recipe());
  const auto end_jobs = [&options](const std::string& run) {
    return options.connect(run)->cancel_all();
  };
  if (!folder_.is_stored()) {
    remove_orphans(folder_.path().parent_path(), options.name, end_jobs);
  } else if (options.has_queue && !folder_.predecessor().empty()) {
    // Elements that begin nevertheless find the run cancelled.
    (void)end_jobs(folder_.predecessor());
  }
}

session::~session() {
  if (!locations_.empty() || may_have_strays_) system_->end_all();
}

/// Measures the memory in a worker that makes the workload and runs no task.
const worker_memory& session::reserved_memory() {
  if (reserved_) return *reserved_;
  std::vector<std::string> command{
      "env", "OPENBLAS_NUM_THREADS=1",
      fmt::format("{}={}", worker_variable, measuring_text(folder_.messages()->location()))};
  for (std::string& word : this_program()) command.push_back(std::move(word));
  const command_result result = run_command(command);
  const auto measured = read_worker_memory(*folder_.messages(), reserved_file);
  if (!result.is_well || !measured) {
    throw value_error(fmt::format("{}: this program, started once more, is no worker: {}",
                                  options_.name, result.complaint));
  }
  reserved_ = measured;
  return *reserved_;
}

void session::submit(const task_batch& batch, std::uint64_t ticket) {
  waiting_.push_back({batch, ticket});
}

std::optional<task_completion> session::wait(std::optional<session_time> until) {
  const session_time end = std::min(until.value_or(session_time::max()), now() + longest_wait);
  while (true) {
    folder_.require_ownership();
    collect();
    try {
      submit_waiting();
      if (now() >= next_query_) query_jobs();
    } catch (const no_answer&) {
      // The system may have accepted an array although its answer was lost.
      may_have_strays_ = true;
    }
    std::erase_if(arrays_, [](const auto& entry) { return entry.second.open.empty(); });
    if (!answers_.empty()) break;
    if (now() >= end || (interrupt_requested() && !is_cancelled_)) return std::nullopt;
    std::this_thread::sleep_until(
        clock_.at(std::min<session_time>(end, now() + options_.timing.poll)));
  }
  task_completion first = std::move(answers_.front());
  answers_.pop_front();
  return first;
}

/// Submits the waiting batches as arrays, each of a single operation and as long as the system
/// allows.
void session::submit_waiting() {
  while (!waiting_.empty()) {
    const auto begin = waiting_.begin();
    const auto next_operation = std::stable_partition(
        begin, waiting_.end(), [operation = begin->batch.operation](const submission& queued) {
          return queued.batch.operation == operation;
        });
    const auto most = static_cast<std::ptrdiff_t>(system_->max_elements());
    const auto end = begin + std::min(most, next_operation - begin);
    submit_array({begin, end});
    waiting_.erase(begin, end);
  }
}

/// If the system does not answer, the array stays empty and its folder is removed. Elements of an
/// array that the system has accepted nevertheless find no order, and end.
void session::submit_array(const std::vector<submission>& elements) {
  folder_.confirm_ownership();
  const std::size_t number = next_array_++;
  const std::string name = std::to_string(number);
  job_array& array =
      arrays_.try_emplace(number, array_folder(folder_.messages(), name)).first->second;
  const std::size_t operation = elements.front().batch.operation;
  const workload_operation& spec = work_.operations()[operation];
  array_order order{operation, spec.task_memory, options_.workers};
  for (const auto& [batch, ticket] : elements) {
    order.batches.push_back({batch.first, batch.first + batch.count});
  }
  array.folder.write_order(order);
  const std::filesystem::path directory = folder_.path() / name;
  if (folder_.is_stored()) {
    array.scratch = directory;
    std::error_code ignored;
    std::filesystem::create_directories(directory, ignored);
  }
  const session_time asked = now();
  array.job = system_->submit({number, spec.name, elements.size(), reserved_memory(),
                               spec.task_memory, directory, false, array.folder.location()});
  for (const submission& submitted : elements) {
    locations_[submitted.ticket] = {number, array.open.size()};
    array.open.emplace(array.open.size(), element{submitted, asked});
  }
}

/// Reads the records of progress and the reports of the elements.
void session::collect() {
  if (!list_timer_.is_due(std::chrono::steady_clock::now())) return;
  for (auto& [number, array] : arrays_) {
    const array_folder::element_states states = array.folder.look();
    for (const std::size_t index : states.started) {
      const auto open = array.open.find(index);
      if (open != array.open.end() && !open->second.started) open->second.started = now();
    }
    for (const std::size_t index : states.ended) take_report(array, index);
  }
}

/// Completes an open element with a report. Returns false if it is not open or has no report.
bool session::take_report(job_array& array, std::size_t index) {
  const auto open = array.open.find(index);
  if (open == array.open.end()) return false;
  const auto report = array.folder.read_report(index);
  if (!report) return false;
  const session_time asked = open->second.asked;
  const session_time began = std::max(asked, time_of(report->started));
  starts_.push_back({index % options_.workers, report->host, asked, began});
  task_completion completion{
      open->second.submitted.ticket, report->done, nullptr,
      index % options_.workers,      began,        std::max(began, time_of(report->ended)),
      bytes{report->peak_memory},    report->moved};
  if (!report->failure.empty()) completion.failure = decode_failure(report->failure);
  answer(array, index, std::move(completion));
  return true;
}

/// Returns a time of another host within the session. The clocks of hosts may differ.
session_time session::time_of(std::int64_t system_nanoseconds) const {
  const session_time since_begin = session_time{system_nanoseconds} - began_.time_since_epoch();
  return std::clamp<session_time>(since_begin, session_time{}, now());
}

void session::answer(job_array& array, std::size_t index, task_completion completion) {
  locations_.erase(completion.ticket);
  array.open.erase(index);
  answers_.push_back(std::move(completion));
}

task_completion session::dropped(std::uint64_t ticket) const {
  return {ticket, 0, nullptr, 0, now(), now(), {}};
}

/// Cancels waiting elements. After an interrupt, running tasks may never end, or only in hours:
/// their elements are cancelled after a time of grace.
void session::cancel_jobs() {
  system_->cancel_waiting();
  if (!interrupt_requested()) return;
  if (!end_of_grace_) end_of_grace_ = now() + options_.timing.grace;
  if (now() < *end_of_grace_) return;
  constexpr std::chrono::seconds between_cancellations{10};
  (void)system_->cancel_all();
  end_of_grace_ = now() + between_cancellations;
}

/// Queries the system for elements that end without a report.
void session::query_jobs() {
  if (is_cancelled_) cancel_jobs();
  // If an element has several copies, a live copy has precedence.
  std::map<std::pair<std::size_t, std::size_t>, queued_element> known;
  for (queued_element& listed : system_->list()) {
    queued_element& latest = known[{listed.array, listed.element}];
    if (latest.state.empty() || system_->judge(latest).has_ended) latest = std::move(listed);
  }
  bool is_urgent = is_cancelled_;
  for (auto& [number, array] : arrays_) {
    for (auto next = array.open.begin(); next != array.open.end();) {
      const std::size_t index = next++->first;
      is_urgent |= check_element(array, index, known[{number, index}]);
    }
  }
  const session_time query = options_.timing.query;
  next_query_ = now() + (is_urgent ? std::min(soon, query) : query);
}

/// Completes an element that ends without a report. Returns true if the element is about to end so.
bool session::check_element(job_array& array, std::size_t index, const queued_element& listed) {
  element& current = array.open.at(index);
  current.is_listed |= !listed.state.empty();
  const element_verdict verdict = system_->judge(listed);
  const bool is_hindered = verdict.hindered.has_value();
  const bool is_to_end = is_hindered || current.is_abandoned;
  if (!listed.state.empty() && !verdict.has_ended) {
    current.missing_since.reset();
    if (is_to_end) system_->cancel_element(array.job, index);
    if (is_hindered) lose(array, index, listed);
    return is_to_end;
  }
  if (take_report(array, index)) return false;
  if (current.is_abandoned || (is_cancelled_ && !current.started)) {
    answer(array, index, dropped(current.submitted.ticket));
    return false;
  }
  if (!current.missing_since) current.missing_since = now();
  // An accepted array that is not listed yet counts as an outage of the system.
  const session_time delay = current.is_listed
                                 ? options_.timing.visible
                                 : std::max(options_.timing.visible, options_.timing.patience);
  const bool is_ours = is_cancelled_ && verdict.was_cancelled;
  if (!is_hindered && !is_ours && now() < *current.missing_since + delay) return true;
  lose(array, index, listed);
  return false;
}

/// Returns the last lines of the output of an element, which is in a directory of this host if the
/// messages are in a store.
std::string session::last_output(const job_array& array, std::size_t index) const {
  if (array.scratch.empty()) return array.folder.last_output(index);
  const auto folder = std::make_shared<directory_messages>(array.scratch.parent_path().string());
  return array_folder(folder, array.scratch.filename().string()).last_output(index);
}

void session::lose(job_array& array, std::size_t index, queued_element listed) {
  const element& lost = array.open.at(index);
  listed.has_begun = lost.started.has_value();
  const index_t count = lost.submitted.batch.count;
  task_completion completion = dropped(lost.submitted.ticket);
  completion.done = std::min(array.folder.read_progress(index), count);
  completion.worker = index % options_.workers;
  completion.started = lost.started.value_or(completion.ended);
  if (lost.started) {
    starts_.push_back(
        {completion.worker, array.folder.read_host(index), lost.asked, completion.started});
  }
  // A cancellation of waiting elements may also end an element that has just begun.
  const bool is_ours = is_cancelled_ && system_->judge(listed).was_cancelled;
  if (completion.done < count && !is_ours) {
    const std::string message =
        fmt::format("{}: the job {}_{} {}", options_.name, array.job, index,
                    system_->describe_loss(listed, last_output(array, index)));
    completion.failure = failure_of(listed, message);
  }
  answer(array, index, std::move(completion));
}

/// Returns the failure of an element that has ended, or never runs, without a report.
std::exception_ptr session::failure_of(const queued_element& listed,
                                       const std::string& message) const {
  const element_verdict verdict = system_->judge(listed);
  if (verdict.hindered && !verdict.hindered->may_pass) {
    return std::make_exception_ptr(value_error(message));
  }
  if (!verdict.was_cancelled && is_unfit(listed)) {
    return std::make_exception_ptr(takeover_error(message));
  }
  return std::make_exception_ptr(worker_error(message));
}

void session::cancel() {
  is_cancelled_ = true;
  folder_.messages()->put(cancelled_file, "");
  for (const submission& queued : waiting_) answers_.push_back(dropped(queued.ticket));
  waiting_.clear();
  next_query_ = now();
}

std::optional<session_time> session::started(std::uint64_t ticket) const {
  const auto location = locations_.find(ticket);
  if (location == locations_.end()) return std::nullopt;
  return arrays_.at(location->second.first).open.at(location->second.second).started;
}

bool session::abandon(std::uint64_t ticket) {
  const auto has_ticket = [ticket](const submission& queued) { return queued.ticket == ticket; };
  if (std::erase_if(waiting_, has_ticket) > 0) {
    answers_.push_back(dropped(ticket));
    return true;
  }
  const auto location = locations_.find(ticket);
  if (location == locations_.end()) return false;
  arrays_.at(location->second.first).open.at(location->second.second).is_abandoned = true;
  next_query_ = now();
  return true;
}

}  // namespace tessera::job_arrays
