// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kills worker processes of a program at random instants.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace tessera::testing {

/// Returns the parent of a process; zero if the process has ended.
inline pid_t parent_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    pid_t parent = 0;
    if (word == "PPid:" && status >> parent) return parent;
  }
  return 0;
}

/// Returns the processes that are children of children of `program`: its workers.
inline std::vector<pid_t> workers_of(pid_t program) {
  std::vector<pid_t> workers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t parent = parent_of(std::stoi(name));
    if (parent > 1 && parent_of(parent) == program) workers.push_back(std::stoi(name));
  }
  return workers;
}

/// Kills a worker of `program`, if it has any, by a draw from `draw`; tells whether it has.
inline bool kill_a_worker(pid_t program, std::mt19937& draw) {
  const std::vector<pid_t> workers = workers_of(program);
  if (workers.empty()) return false;
  const pid_t chosen = workers[draw() % workers.size()];
  // The number may be another process's by now: the handle holds the process, and its parent is
  // checked again.
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, chosen, 0));
  if (handle < 0) return false;
  const bool is_worker = parent_of(parent_of(chosen)) == program;
  const bool is_killed =
      is_worker && syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0) == 0;
  close(handle);
  return is_killed;
}

}  // namespace tessera::testing
