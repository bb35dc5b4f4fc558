// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/worker_role.hpp"

#include "tessera/core/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

struct program_state {
  std::mutex mutex;
  std::map<std::string, worker_role, std::less<>> roles;
  std::vector<std::string> arguments;
};

program_state& program() {
  // Never destroyed: roles are registered while static objects are made.
  static auto& state = *new program_state;
  return state;
}

int play(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  try {
    const auto role = program().roles.find(name);
    if (colon == std::string_view::npos || role == program().roles.end()) {
      throw value_error(std::string(worker_variable) + "=\"" + std::string(text) +
                        "\": this program has no such role; it is set by the engines alone");
    }
    return role->second(std::string(text.substr(colon + 1)));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "worker process: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}

}  // namespace

bool register_worker_role(const std::string& name, worker_role role) {
  const std::lock_guard lock(program().mutex);
  program().roles[name] = std::move(role);
  return true;
}

void play_worker_role(int argc, char** argv) {
  {
    const std::lock_guard lock(program().mutex);
    if (program().arguments.empty()) program().arguments.assign(argv, argv + argc);
  }
  const char* variable = std::getenv(worker_variable);
  if (variable == nullptr) return;
  const std::string text = variable;
  unsetenv(worker_variable);
  const int code = play(text);
  std::fflush(nullptr);
  // What the program would do at its end is not a worker's business.
  std::_Exit(code);
}

const std::vector<std::string>& program_arguments() {
  const std::lock_guard lock(program().mutex);
  if (program().arguments.empty()) {
    throw value_error(
        "executors: worker processes are this program, started once more; make a "
        "`tessera::runtime runtime{argc, argv};` first in main, where they turn into workers");
  }
  return program().arguments;
}

}  // namespace tessera
