// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/job_queue.hpp"

#include "executor/array/array_folder.hpp"
#include "executor/array/worker_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tessera::slurm {

using job_arrays::array_request;

namespace {

using namespace std::chrono_literals;

/// The memory of the shell that starts an element, of libraries and of messages.
constexpr std::uint64_t spare_mebibytes = 16;

/// Returns Slurm's pattern for the names of output files. Slurm fails a job with an output file in
/// a directory that its node does not have.
std::string output_pattern(const array_request& request) {
  if (request.is_stored()) return "/dev/null";
  std::string pattern;
  for (const char character : request.folder.string())
    pattern += character == '%' ? "%%" : std::string(1, character);
  return pattern + "/%a" + job_arrays::output_extension;
}

/// Returns the batch script of an element. The program replaces the shell (`exec`), so that Slurm
/// gets the exit status of the program.
std::string script_of(const array_request& request) {
  const std::string redirection =
      request.is_stored() ? job_arrays::script_redirection("$SLURM_ARRAY_TASK_ID", request) : ":";
  return fmt::format("#!/bin/sh\n{}\nexport {}\nexec {}\n", redirection,
                     job_arrays::script_assignments("SLURM_ARRAY_TASK_ID", request),
                     job_arrays::script_command());
}

}  // namespace

std::size_t job_queue::max_elements() {
  if (!max_elements_) {
    const auto size = parse_config(commands_.ask({"scontrol", "show", "config"}), "MaxArraySize");
    max_elements_ = std::max<std::size_t>(1, size.value_or(1));
  }
  return *max_elements_;
}

std::vector<std::string> job_queue::submission(const array_request& request) const {
  const std::uint64_t memory = job_arrays::mebibytes_to_ask(
      request.reserved.resident + request.task_memory, spare_mebibytes);
  std::vector<std::string> command{
      "sbatch",
      "--parsable",
      "--job-name=" + name_,
      fmt::format("--comment={} {}", request.array, request.operation),
      fmt::format("--array=0-{}%{}", request.num_elements - 1, options_.workers),
      fmt::format("--mem={}M", memory),
      "--ntasks=1",
      "--cpus-per-task=1",
      "--requeue",
      "--kill-on-invalid-dep=yes",
      "--open-mode=append",
      "--input=/dev/null",
      "--output=" + output_pattern(request)};
  const auto add = [&command](const char* option, const std::string& value) {
    if (!value.empty()) command.push_back(fmt::format("--{}={}", option, value));
  };
  add("partition", options_.partition);
  if (!request.is_driver) add("time", options_.time);
  add("account", options_.account);
  command.insert(command.end(), options_.extra.begin(), options_.extra.end());
  command.push_back((request.folder / "script").string());
  return command;
}

std::string job_queue::submit(const array_request& request) {
  job_arrays::write_whole_file(request.folder / "script", script_of(request));
  // Format: the number of the job, and optionally ";" and the name of the cluster.
  const std::string answer = commands_.ask(submission(request));
  return answer.substr(0, answer.find_first_of(";\n"));
}

std::vector<queued_element> job_queue::list() {
  return parse_queue(commands_.ask(
      {"squeue", "--noheader", "--array", "--states=all", "--name=" + name_, queue_format}));
}

void job_queue::cancel_waiting() {
  commands_.ask({"scancel", "--state=PENDING", "--name=" + name_});
}

void job_queue::cancel_element(const std::string& job, std::size_t element) {
  commands_.ask({"scancel", "--quiet", fmt::format("{}_{}", job, element)});
}

void job_queue::end_all() {
  const auto end = std::chrono::steady_clock::now() + options_.timing.patience;
  for (auto pause = 50ms; std::chrono::steady_clock::now() < end;
       pause = std::min(2 * pause, 2000ms)) {
    if (cancel_all()) {
      const command_result remaining = run_command({"squeue", "--noheader", "--name=" + name_});
      if (remaining.is_well && remaining.output.empty()) return;
    }
    std::this_thread::sleep_for(pause);
  }
}

bool job_queue::cancel_all() {
  return run_command({"scancel", "--quiet", "--name=" + name_}).is_well;
}

job_arrays::element_verdict job_queue::judge(const queued_element& element) const {
  return {has_ended(element.state), element.state == "CANCELLED", find_hindrance(element)};
}

std::string job_queue::describe_loss(const queued_element& element,
                                     std::string_view printed) const {
  return slurm::describe_loss(element, printed);
}

}  // namespace tessera::slurm
