// SPDX-License-Identifier: Apache-2.0
#include "executor/launcher/process_group.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tessera::launchers {

namespace {

/// The state and the group of a process, as of proc(5). A process that ends meanwhile has group 0.
struct process_state {
  char state = '\0';
  pid_t group = 0;
};

process_state read_state(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  // "1234 (name of the program) S parent group ..."; the name may hold parentheses.
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  process_state state;
  if (name_end == std::string::npos) return state;
  pid_t parent = 0;
  std::istringstream(line.substr(name_end + 1)) >> state.state >> parent >> state.group;
  return state;
}

bool is_number(std::string_view name) {
  return std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

bool has_running_process(pid_t group) {
  constexpr std::string_view states_of_ended = "ZXx";
  std::error_code failure;
  std::filesystem::directory_iterator process("/proc", failure);
  for (; !failure && process != std::filesystem::directory_iterator(); process.increment(failure)) {
    if (!is_number(process->path().filename().string())) continue;
    const process_state now = read_state(process->path());
    const bool has_ended = states_of_ended.find(now.state) != std::string_view::npos;
    if (now.group == group && !has_ended) return true;
  }
  return false;
}

}  // namespace tessera::launchers
