// SPDX-License-Identifier: Apache-2.0
#include "runtime/run_program.hpp"

#include "tessera/core/error.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tessera {

namespace {

int spawn_program(const std::vector<std::string>& words, const std::string& output,
                  program_place place, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int session = place == program_place::detached ? POSIX_SPAWN_SETSID : 0;
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | session));
  const int failure =
      posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

}  // namespace

pid_t start_program(const std::vector<std::string>& words, const std::string& output,
                    program_place place) {
  pid_t child = 0;
  if (const int failure = spawn_program(words, output, place, child); failure != 0) {
    throw value_error(fmt::format("cannot run {}: {}", words.front(), std::strerror(failure)));
  }
  return child;
}

int exit_code_of(int status) {
  constexpr int of_signals = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : of_signals + WTERMSIG(status);
}

int run_program(const std::vector<std::string>& words, const std::string& output) {
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  const pid_t child = start_program(words, output, program_place::beside);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

}  // namespace tessera
