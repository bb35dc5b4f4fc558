// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/job_queue.hpp"

#include "tessera/core/error.hpp"

#include "executor/slurm/array_folder.hpp"
#include "executor/slurm/worker.hpp"
#include "executor/worker_role.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace tessera::slurm {

namespace {

using namespace std::chrono_literals;

/// For the shell that starts an element, libraries' own pages and messages.
constexpr std::uint64_t spare_mebibytes = 16;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns what a user is told of a command's complaint: all lines as one.
std::string as_words(std::string complaint) {
  while (complaint.ends_with('\n')) complaint.pop_back();
  for (char& each : complaint) {
    if (each == '\n') each = ' ';
  }
  return complaint;
}

/// Returns the pattern of the names of files that elements print to.
std::string output_pattern(const std::filesystem::path& folder) {
  std::string pattern;
  for (const char each : folder.string()) pattern += each == '%' ? "%%" : std::string(1, each);
  return pattern + "/%a" + output_extension;
}

/// The shell is replaced by the program, so that Slurm sees how the program ends. An element has
/// one processor; each thread that OpenBLAS made would take 128 MiB of address space, too.
std::string script_of(const std::filesystem::path& folder) {
  std::string command;
  for (const std::string& word : this_program()) command += " " + quote(word);
  return fmt::format("#!/bin/sh\nexport OPENBLAS_NUM_THREADS=1 {}={}\nexec{}\n", worker_variable,
                     quote(fmt::format("{}:{}", role, folder.string())), command);
}

}  // namespace

std::optional<std::string> job_queue::ask(const std::vector<std::string>& command,
                                          session_time now) {
  if (!outage_.may_ask(now)) return std::nullopt;
  const command_result result = run_command(command);
  if (result.is_well) {
    outage_.answered();
    return result.output;
  }
  const std::string complaint = as_words(result.complaint);
  if (!max_elements_ && !is_outage(complaint)) throw value_error("slurm: no Slurm: " + complaint);
  if (command.front() == "sbatch" && !is_outage(complaint)) {
    throw value_error("slurm: the jobs were refused: " + complaint);
  }
  outage_.failed(now, complaint);
  return std::nullopt;
}

std::optional<std::size_t> job_queue::max_elements(session_time now) {
  if (max_elements_) return max_elements_;
  const auto config = ask({"scontrol", "show", "config"}, now);
  if (!config) return std::nullopt;
  max_elements_ = std::max<std::size_t>(1, parse_config(*config, "MaxArraySize").value_or(1));
  return max_elements_;
}

std::vector<std::string> job_queue::submission(const array_request& request) const {
  constexpr std::uint64_t mebibyte = 1 << 20U;
  const std::uint64_t memory = request.memory.count() / mebibyte + 1 + spare_mebibytes;
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
      "--output=" + output_pattern(request.folder)};
  const auto add = [&command](const char* option, const std::string& value) {
    if (!value.empty()) command.push_back(fmt::format("--{}={}", option, value));
  };
  add("partition", options_.partition);
  add("time", options_.time);
  add("account", options_.account);
  command.insert(command.end(), options_.extra.begin(), options_.extra.end());
  command.push_back((request.folder / "script").string());
  return command;
}

std::optional<std::string> job_queue::submit(const array_request& request, session_time now) {
  write_whole_file(request.folder / "script", script_of(request.folder));
  const auto answer = ask(submission(request), now);
  if (!answer) return std::nullopt;
  // Behind the number there may be a cluster's name.
  const std::string line = first_line(*answer);
  return line.substr(0, line.find(';'));
}

std::optional<std::vector<queued_element>> job_queue::list(session_time now) {
  const auto answer = ask(
      {"squeue", "--noheader", "--array", "--states=all", "--name=" + name_, queue_format}, now);
  if (!answer) return std::nullopt;
  return parse_queue(*answer);
}

bool job_queue::cancel_waiting(session_time now) {
  return ask({"scancel", "--state=PENDING", "--name=" + name_}, now).has_value();
}

bool job_queue::cancel_element(const std::string& job, std::size_t element, session_time now) {
  return ask({"scancel", "--quiet", fmt::format("{}_{}", job, element)}, now).has_value();
}

void job_queue::end_all() {
  const auto end = std::chrono::steady_clock::now() + options_.timing.patience;
  for (auto pause = 50ms; std::chrono::steady_clock::now() < end;
       pause = std::min(2 * pause, 2000ms)) {
    if (cancel_jobs(name_)) {
      const command_result left = run_command({"squeue", "--noheader", "--name=" + name_});
      if (left.is_well && left.output.empty()) return;
    }
    std::this_thread::sleep_for(pause);
  }
}

std::vector<std::string> this_program() {
  std::vector<std::string> words = program_arguments();
  words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  return words;
}

bool cancel_jobs(const std::string& name) {
  return run_command({"scancel", "--quiet", "--name=" + name}).is_well;
}

}  // namespace tessera::slurm
