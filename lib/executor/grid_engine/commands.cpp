// SPDX-License-Identifier: Apache-2.0
#include "executor/grid_engine/commands.hpp"

#include "executor/array/array_folder.hpp"
#include "executor/array/run_command.hpp"
#include "executor/array/worker_command.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace tessera::grid_engine {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::string describe_end(const job_arrays::queued_element& element) {
  if (const auto hindered = find_hindrance(element.state)) return hindered->why;
  if (element.state == ended) return job_arrays::describe_exit(element.exit_status);
  return "is no longer known to Grid Engine: deleted, killed, or past a limit of time or memory";
}

}  // namespace

bool is_outage(std::string_view complaint) {
  // Texts of version 8.1.9. They have been stable over many versions.
  constexpr std::array<std::string_view, 6> signs{
      "commlib error",        "unable to send message to qmaster", "unable to contact qmaster",
      "got no response from", "failed receiving gdi request",      "jobs are allowed"};
  return std::ranges::any_of(
      signs, [complaint](std::string_view sign) { return contains(complaint, sign); });
}

std::string parse_job(std::string_view text) {
  // Site's warnings may precede the number.
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  return std::string(line.substr(0, line.find('.')));
}

std::vector<listed_task> parse_queue(const std::string& text) {
  constexpr std::size_t num_columns = 9;
  std::vector<listed_task> tasks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    // A waiting element has no queue.
    if (words.size() < num_columns || !is_number(words[0]) || !is_number(words.back())) continue;
    tasks.push_back({words[0], std::stoul(words.back()), words[4]});
  }
  return tasks;
}

std::optional<std::size_t> parse_config(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string name;
    std::size_t value = 0;
    if (in >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

bool is_waiting(std::string_view state) { return state == "qw" || state == "hqw"; }

std::optional<job_arrays::hindrance> find_hindrance(std::string_view state) {
  if (!state.starts_with('E') && !contains(state, "Eq")) return std::nullopt;
  return job_arrays::hindrance{
      fmt::format("cannot run: it is in an error state ({}), which `qstat -j` explains", state),
      true};
}

std::string describe_loss(const job_arrays::queued_element& element, std::string_view printed) {
  return job_arrays::with_last_line(describe_end(element), printed);
}

bytes memory_for(std::string_view resource, const job_arrays::array_request& request) {
  const job_arrays::worker_memory& reserved = request.reserved;
  if (resource.ends_with("_vmem")) return reserved.address_space + request.task_memory;
  if (resource.ends_with("_data")) return reserved.data + request.task_memory;
  return reserved.resident + request.task_memory;
}

// The script itself redirects the output, as qsub gives a meaning to characters of a path. Grid
// Engine no longer lists elements that have ended, so that the script leaves their exit status. If
// the run is in a store, hosts may lack the directory of both files. A script's own status of 99 or
// 100 would be an order to Grid Engine.
std::string batch_script(const job_arrays::array_request& request) {
  constexpr auto script = R"(#!/bin/sh
index=$((SGE_TASK_ID - 1))
exec </dev/null
{0}
export {1}
{2}
status=$?
if [ -d {3} ]; then echo $status >{3}/$index{4}; fi
case $status in
99 | 100) exit 1 ;;
*) exit $status ;;
esac
)";
  return fmt::format(script, job_arrays::script_redirection("$index", request),
                     job_arrays::script_assignments("SGE_TASK_ID-1", request),
                     job_arrays::script_command(), job_arrays::quote(request.folder.string()),
                     exit_extension);
}

std::vector<std::string> task_ranges(const std::string& job,
                                     const std::vector<std::size_t>& elements) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t last = i;
    while (last + 1 < elements.size() && elements[last + 1] == elements[last] + 1) ++last;
    ranges.push_back(fmt::format("{}.{}-{}", job, elements[i] + 1, elements[last] + 1));
    i = last + 1;
  }
  return ranges;
}

}  // namespace tessera::grid_engine
