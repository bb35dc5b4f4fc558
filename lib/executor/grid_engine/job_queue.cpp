// SPDX-License-Identifier: Apache-2.0
#include "executor/grid_engine/job_queue.hpp"

#include "executor/array/array_folder.hpp"
#include "executor/array/run_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <system_error>
#include <thread>

namespace tessera::grid_engine {

using job_arrays::array_request;
using job_arrays::queued_element;

namespace {

using namespace std::chrono_literals;

/// The memory of the shell that starts an element, of libraries and of messages.
constexpr std::uint64_t spare_mebibytes = 16;

/// Deletes jobs. Returns false if the master does not answer. Jobs that have ended do no harm.
bool delete_jobs(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return true;
  std::vector<std::string> command{"qdel"};
  command.insert(command.end(), jobs.begin(), jobs.end());
  const job_arrays::command_result result = job_arrays::run_command(command);
  return result.is_well || !is_outage(result.output + result.complaint);
}

/// Tells whether the master knows jobs with this name; true if it does not answer.
bool has_jobs(const std::string& name) {
  const job_arrays::command_result result = job_arrays::run_command({"qstat", "-j", name});
  return result.is_well || is_outage(result.output + result.complaint);
}

/// Returns an element that has ended, with the exit status in its file.
queued_element ended_element(std::size_t array, const std::filesystem::path& folder,
                             std::size_t element) {
  const auto status =
      job_arrays::read_whole_file(folder / fmt::format("{}{}", element, exit_extension));
  if (!status || status->empty()) return {array, element, gone, {}, 0};
  return {array, element, ended, {}, job_arrays::status_of_shell(std::atoi(status->c_str()))};
}

}  // namespace

std::size_t job_queue::max_elements() {
  if (!max_elements_) {
    const auto most = parse_config(commands_.ask({"qconf", "-sconf"}), "max_aj_tasks");
    // Zero: no limit.
    const bool is_limited = most.value_or(1) != 0;
    max_elements_ = is_limited ? most.value_or(1) : std::numeric_limits<std::size_t>::max();
  }
  return *max_elements_;
}

std::vector<std::string> job_queue::submission(const array_request& request) const {
  std::vector<std::string> command{"qsub", "-terse",  "-cwd", "-V", "-b", "n",
                                   "-r",   "y",       "-j",   "y",  "-o", "/dev/null",
                                   "-S",   "/bin/sh", "-w",   "e",  "-N", name_};
  const auto add = [&command](const char* option, const std::string& value) {
    command.insert(command.end(), {option, value});
  };
  add("-t", fmt::format("1-{}", request.num_elements));
  add("-tc", std::to_string(options_.workers));
  if (options_.memory != "none") {
    const bytes memory = memory_for(options_.memory, request);
    add("-l", fmt::format("{}={}M", options_.memory,
                          job_arrays::mebibytes_to_ask(memory, spare_mebibytes)));
  }
  if (!options_.queue.empty()) add("-q", options_.queue);
  if (!options_.time.empty() && !request.is_driver) add("-l", "h_rt=" + options_.time);
  if (!options_.project.empty()) add("-P", options_.project);
  command.insert(command.end(), options_.extra.begin(), options_.extra.end());
  command.push_back((request.folder / "script").string());
  return command;
}

std::string job_queue::submit(const array_request& request) {
  job_arrays::write_whole_file(request.folder / "script", batch_script(request));
  std::string job = parse_job(commands_.ask(submission(request)));
  submitted_.push_back({request.array, job, request.num_elements, request.folder});
  return job;
}

std::vector<listed_task> job_queue::ask_tasks() {
  return parse_queue(commands_.ask({"qstat", "-g", "d"}));
}

std::vector<queued_element> job_queue::list() {
  // The folder of a complete array is gone.
  std::erase_if(submitted_, [](const submitted_array& array) {
    std::error_code ignored;
    return !std::filesystem::exists(array.folder, ignored);
  });
  const std::vector<listed_task> tasks = ask_tasks();
  std::vector<queued_element> elements;
  for (const auto& [number, job, num_elements, folder] : submitted_) {
    std::vector<std::string> states(num_elements);
    for (const listed_task& task : tasks) {
      if (task.job == job && task.number <= num_elements) states[task.number - 1] = task.state;
    }
    for (std::size_t i = 0; i < num_elements; ++i) {
      elements.push_back(states[i].empty() ? ended_element(number, folder, i)
                                           : queued_element{number, i, states[i], {}, 0});
    }
  }
  return elements;
}

job_arrays::element_verdict job_queue::judge(const queued_element& element) const {
  const bool is_gone = element.state == gone;
  return {is_gone || element.state == ended || element.state.empty(), is_gone && is_cancelled_,
          find_hindrance(element.state)};
}

std::string job_queue::describe_loss(const queued_element& element,
                                     std::string_view printed) const {
  return grid_engine::describe_loss(element, printed);
}

void job_queue::cancel_waiting() {
  is_cancelled_ = true;
  const std::vector<listed_task> tasks = ask_tasks();
  std::vector<std::string> ranges;
  for (const submitted_array& array : submitted_) {
    std::vector<std::size_t> waiting;
    for (const listed_task& task : tasks) {
      if (task.job == array.job && is_waiting(task.state)) waiting.push_back(task.number - 1);
    }
    std::ranges::sort(waiting);
    std::ranges::move(task_ranges(array.job, waiting), std::back_inserter(ranges));
  }
  (void)delete_jobs(ranges);
}

void job_queue::cancel_element(const std::string& job, std::size_t element) {
  (void)delete_jobs(task_ranges(job, {element}));
}

bool job_queue::cancel_all() { return delete_jobs({name_}); }

void job_queue::end_all() {
  const auto end = std::chrono::steady_clock::now() + options_.timing.patience;
  for (auto pause = 50ms; std::chrono::steady_clock::now() < end;
       pause = std::min(2 * pause, 2000ms)) {
    if (cancel_all() && !has_jobs(name_)) return;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace tessera::grid_engine
