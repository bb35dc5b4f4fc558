// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A program that a test starts, talks to and kills.

#include "unit/store/temporary_directory.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::testing {

/// A program in a process group of its own, as a shell starts one; killed at the end if it is still
/// there.
class child_program {
 public:
  child_program(std::string program, std::string argument, const std::string& directory = "/") {
    int input[2];
    int output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) fail("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    char* arguments[] = {program.data(), argument.data(), nullptr};
    // A killed process does not remove its files.
    setenv("TMPDIR", scratch_.path().c_str(), 1);
    const int code = posix_spawn(&pid_, program.c_str(), &actions, &attributes, arguments, environ);
    unsetenv("TMPDIR");
    if (code != 0) fail("posix_spawn");
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    output_ = fdopen(output[0], "r");
  }
  child_program(const child_program&) = delete;
  child_program& operator=(const child_program&) = delete;
  ~child_program() {
    if (!has_ended_) signal(SIGKILL);
    if (!has_ended_) waitpid(pid_, nullptr, 0);
    close(input_);
    fclose(output_);
  }

  void write_line(const std::string& text) const {
    const std::string line = text + "\n";
    if (write(input_, line.data(), line.size()) < 0) fail("write");
  }

  /// Returns the program's next line; empty once it, and all processes that inherited its output,
  /// are gone.
  [[nodiscard]] std::string read_line() const {
    std::string line;
    for (int c = getc(output_); c != EOF && c != '\n'; c = getc(output_)) {
      line.push_back(static_cast<char>(c));
    }
    return line;
  }

  void signal(int number) const { kill(pid_, number); }
  /// Signals the whole group, as a terminal does.
  void signal_group(int number) const { kill(-pid_, number); }

  /// Returns its status, as of waitpid.
  [[nodiscard]] int wait_for_end() {
    int status = 0;
    if (waitpid(pid_, &status, 0) < 0) fail("waitpid");
    has_ended_ = true;
    return status;
  }

 private:
  [[noreturn]] static void fail(const char* message) { throw std::runtime_error(message); }

  temporary_directory scratch_;
  pid_t pid_ = 0;
  int input_ = -1;
  FILE* output_ = nullptr;
  bool has_ended_ = false;
};

}  // namespace tessera::testing
