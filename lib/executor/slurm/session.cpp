// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/session.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/interrupt.hpp"

#include "executor/slurm/worker.hpp"

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
  if (!places_.empty() || may_have_strays_) queue_.end_all();
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
  while (true) {
    collect();
    try {
      submit_waiting();
      if (now() >= next_look_) look_after_jobs();
    } catch (const no_answer&) {
      // Slurm may have taken what it could not say that it has.
      may_have_strays_ = true;
    }
    std::erase_if(arrays_, [](const auto& each) { return each.second.open.empty(); });
    if (!answers_.empty()) break;
    if (now() >= end || (interrupt_requested() && !is_cancelled_)) return std::nullopt;
    std::this_thread::sleep_until(
        clock_.at(std::min<session_time>(end, now() + options_.timing.poll)));
  }
  task_completion first = std::move(answers_.front());
  answers_.pop_front();
  return first;
}

/// Makes arrays of what waits, each of one operation and as long as Slurm allows.
void session::submit_waiting() {
  while (!waiting_.empty()) {
    const auto begin = waiting_.begin();
    const auto others = std::stable_partition(
        begin, waiting_.end(), [operation = begin->batch.operation](const submission& one) {
          return one.batch.operation == operation;
        });
    const auto most = static_cast<std::ptrdiff_t>(queue_.max_elements());
    const auto end = begin + std::min(most, others - begin);
    submit_array({begin, end});
    waiting_.erase(begin, end);
  }
}

/// Where Slurm does not answer, the array stays empty and is forgotten: elements that Slurm has
/// taken all the same find no order, and end.
void session::submit_array(const std::vector<submission>& elements) {
  const std::size_t number = next_array_++;
  job_array& array =
      arrays_.try_emplace(number, folder_.path() / std::to_string(number)).first->second;
  const std::size_t operation = elements.front().batch.operation;
  const workload_operation& what = work_.operations()[operation];
  array_order order{operation, what.task_memory, options_.workers};
  for (const auto& [batch, ticket] : elements) {
    order.batches.push_back({batch.first, batch.first + batch.count});
  }
  array.folder.write_order(order);
  array.job = queue_.submit({number, what.name, elements.size(),
                             reserved_memory() + what.task_memory, array.folder.path()});
  for (const submission& one : elements) {
    places_[one.ticket] = {number, array.open.size()};
    array.open.emplace(array.open.size(), element{one});
  }
}

/// Takes what elements have said of themselves.
void session::collect() {
  for (auto& [number, array] : arrays_) {
    const array_folder::element_states states = array.folder.look();
    for (const std::size_t index : states.started) {
      const auto one = array.open.find(index);
      if (one != array.open.end() && !one->second.started) one->second.started = now();
    }
    for (const std::size_t index : states.ended) take_report(array, index);
  }
}

/// Answers for an element that has not been answered and has reported; else returns false.
bool session::take_report(job_array& array, std::size_t index) {
  const auto one = array.open.find(index);
  if (one == array.open.end()) return false;
  const auto report = array.folder.read_report(index);
  if (!report) return false;
  const session_time began = time_of(report->started);
  task_completion completion{
      one->second.what.ticket,    report->done, nullptr,
      index % options_.workers,   began,        std::max(began, time_of(report->ended)),
      bytes{report->peak_memory}, report->moved};
  if (!report->failure.empty()) completion.failure = decode_failure(report->failure);
  answer(array, index, std::move(completion));
  return true;
}

/// Hosts' clocks may differ: a time is at least within the session.
session_time session::time_of(std::int64_t system_nanoseconds) const {
  const session_time since_begin = session_time{system_nanoseconds} - began_.time_since_epoch();
  return std::clamp<session_time>(since_begin, session_time{}, now());
}

void session::answer(job_array& array, std::size_t index, task_completion completion) {
  places_.erase(completion.ticket);
  array.open.erase(index);
  answers_.push_back(std::move(completion));
}

task_completion session::dropped(std::uint64_t ticket) const {
  return {ticket, 0, nullptr, 0, now(), now(), {}};
}

/// Asks Slurm for elements that will not report.
void session::look_after_jobs() {
  if (is_cancelled_) queue_.cancel_waiting();
  // Of several copies of an element, one that lives counts.
  std::map<std::pair<std::size_t, std::size_t>, queued_element> known;
  for (queued_element& each : queue_.list()) {
    queued_element& place = known[{each.array, each.element}];
    if (place.state.empty() || has_ended(place.state)) place = std::move(each);
  }
  bool is_urgent = is_cancelled_;
  for (auto& [number, array] : arrays_) {
    for (auto next = array.open.begin(); next != array.open.end();) {
      const std::size_t index = next++->first;
      is_urgent |= look_after(array, index, known[{number, index}]);
    }
  }
  const session_time query = options_.timing.query;
  next_look_ = now() + (is_urgent ? std::min(soon, query) : query);
}

/// Answers for an element that will not report; returns whether it is about to be such a one.
bool session::look_after(job_array& array, std::size_t index, const queued_element& seen) {
  element& one = array.open.at(index);
  one.is_listed |= !seen.state.empty();
  const bool is_hindered = find_hindrance(seen).has_value();
  const bool is_to_end = is_hindered || one.is_abandoned;
  if (!seen.state.empty() && !has_ended(seen.state)) {
    one.missing_since.reset();
    if (is_to_end) queue_.cancel_element(array.job, index);
    if (is_hindered) lose(array, index, seen);
    return is_to_end;
  }
  if (take_report(array, index)) return false;
  if (one.is_abandoned || (is_cancelled_ && !one.started)) {
    answer(array, index, dropped(one.what.ticket));
    return false;
  }
  if (!one.missing_since) one.missing_since = now();
  // What Slurm has accepted and does not list yet is as if Slurm did not answer.
  const session_time delay = one.is_listed
                                 ? options_.timing.visible
                                 : std::max(options_.timing.visible, options_.timing.patience);
  if (!is_hindered && now() < *one.missing_since + delay) return true;
  lose(array, index, seen);
  return false;
}

void session::lose(job_array& array, std::size_t index, const queued_element& seen) {
  const element& one = array.open.at(index);
  const index_t count = one.what.batch.count;
  task_completion completion = dropped(one.what.ticket);
  completion.done = std::min(array.folder.read_progress(index), count);
  completion.worker = index % options_.workers;
  completion.started = one.started.value_or(now());
  // What Slurm had begun just before it was told to cancel what waits ends as well.
  const bool is_ours = is_cancelled_ && seen.state == "CANCELLED";
  if (completion.done < count && !is_ours) {
    const std::string message = fmt::format("slurm: the job {}_{} {}", array.job, index,
                                            describe_loss(seen, array.folder.last_words(index)));
    const auto hindered = find_hindrance(seen);
    completion.failure = hindered && !hindered->may_pass
                             ? std::make_exception_ptr(value_error(message))
                             : std::make_exception_ptr(worker_error(message));
  }
  answer(array, index, std::move(completion));
}

void session::cancel() {
  is_cancelled_ = true;
  write_whole_file(folder_.path() / cancelled_file, "");
  for (const submission& one : waiting_) answers_.push_back(dropped(one.ticket));
  waiting_.clear();
  next_look_ = now();
}

std::optional<session_time> session::started(std::uint64_t ticket) const {
  const auto place = places_.find(ticket);
  if (place == places_.end()) return std::nullopt;
  return arrays_.at(place->second.first).open.at(place->second.second).started;
}

bool session::abandon(std::uint64_t ticket) {
  const auto is_it = [ticket](const submission& one) { return one.ticket == ticket; };
  if (std::erase_if(waiting_, is_it) > 0) {
    answers_.push_back(dropped(ticket));
    return true;
  }
  const auto place = places_.find(ticket);
  if (place == places_.end()) return false;
  arrays_.at(place->second.first).open.at(place->second.second).is_abandoned = true;
  next_look_ = now();
  return true;
}

}  // namespace tessera::slurm
