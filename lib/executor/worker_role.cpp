// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/worker_role.hpp"

#include "tessera/core/error.hpp"

#include "core/api/registry.hpp"
#include "executor/unfit_worker.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

struct program_state {
  std::mutex mutex;
  std::vector<std::string> arguments;
};

program_state& program() {
  // Never destroyed: the reference of `program_arguments` stays valid.
  static auto& state = *new program_state;
  return state;
}

constexpr auto roles = &detail::registry<worker_role>::instance;

int run_role(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  try {
    const worker_role* const role = roles().find(name);
    if (colon == std::string_view::npos || role == nullptr) {
      throw unfit_worker(std::string(worker_variable) + "=\"" + std::string(text) +
                         "\": this program has no such role; it is set by the engines alone");
    }
    return (*role)(std::string(text.substr(colon + 1)));
  } catch (const unfit_worker& failure) {
    std::fprintf(stderr, "worker process: %s\n", failure.what());
    return exit_code_of_unfit;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "worker process: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}

}  // namespace

bool register_worker_role(const std::string& name, worker_role role) {
  return roles().replace(name, std::move(role));
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
  const int code = run_role(text);
  std::fflush(nullptr);
  // A worker runs no `atexit` function of the program.
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
