// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_context.hpp"

#include "observe/api/run_context.hpp"
#include "observe/study/build_facts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>
#include <system_error>
#include <utility>

namespace tessera {

namespace {

std::string text_of_kernel_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the processors that this process may use.
std::string affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "unknown";
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return ranges_text(processors);
}

/// Returns the environment variables among `names` that are set, "none" if there is none.
template <std::size_t N>
std::string environment(const std::array<const char*, N>& names) {
  std::string text;
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text.empty() ? "none" : text;
}

std::vector<std::string> command_line() {
  std::istringstream text(text_of_kernel_file("/proc/self/cmdline"));
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  return words;
}

/// Returns the mean numbers of running processes in the last 1, 5 and 15 minutes.
std::string load() {
  std::istringstream text(text_of_kernel_file("/proc/loadavg"));
  std::string last_minute;
  std::string five;
  std::string fifteen;
  text >> last_minute >> five >> fifteen;
  return fmt::format("{} {} {}", last_minute, five, fifteen);
}

std::string date() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

bool is_public(std::string_view word) {
  constexpr std::array<std::string_view, 3> beginnings{"--study_out=", "--benchmark_",
                                                       "--tessera-"};
  return std::ranges::any_of(beginnings, [&](std::string_view it) { return word.starts_with(it); });
}

}  // namespace

std::string public_command(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_shown = i == 0 || is_public(words[i]);
    text += fmt::format("{}{}", i == 0 ? "" : " ", is_shown ? words[i] : "...");
  }
  return text;
}

std::string ranges_text(const std::vector<int>& sorted) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", sorted[begin]);
    if (end - begin > 1) text += fmt::format("-{}", sorted[end - 1]);
  }
  return text;
}

std::string file_system_of(std::string_view path, std::string_view mounts) {
  std::istringstream lines{std::string(mounts)};
  std::string type = "unknown";
  std::string longest;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string device;
    std::string mount_point;
    std::string kind;
    fields >> device >> mount_point >> kind;
    const bool is_below =
        path.starts_with(mount_point) && (mount_point == "/" || path.size() == mount_point.size() ||
                                          path[mount_point.size()] == '/');
    if (!is_below || mount_point.size() < longest.size()) continue;
    longest = mount_point;
    type = kind;
  }
  return longest.empty() ? type : fmt::format("{} at {}", type, longest);
}

std::map<std::string, std::string> context_of_study() {
  std::map<std::string, std::string> facts = context_of_run();
  std::error_code ignored;
  const std::string commit = build_commit();
  facts["affinity"] = affinity();
  facts["file system"] = file_system_of(std::filesystem::current_path(ignored).string(),
                                        text_of_kernel_file("/proc/self/mounts"));
  facts["flags"] = build_flags();
  facts["commit"] = commit.empty() ? "unknown" : commit;
  facts["libraries"] = build_libraries();
  facts["MPI"] = environment(std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"});
  facts["Slurm"] =
      environment(std::array{"SLURM_JOB_ID", "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST",
                             "SLURM_NTASKS", "SLURM_CPUS_PER_TASK"});
  facts["command"] = public_command(command_line());
  facts["date"] = date();
  facts["load"] = load();
  return facts;
}

}  // namespace tessera
