// SPDX-License-Identifier: Apache-2.0
#include "executor/array/run_command.hpp"

#include "tessera/core/error.hpp"

#include "executor/array/start_command.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::job_arrays {

namespace {

/// The output of a command, in a file in memory: unlike a pipe it never blocks the command, so it
/// can be read after the command has ended.
class printed_text {
 public:
  printed_text() : file_(memfd_create("command", MFD_CLOEXEC)) {}
  printed_text(const printed_text&) = delete;
  printed_text& operator=(const printed_text&) = delete;
  ~printed_text() { close(file_); }

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::string read() const {
    std::string text;
    std::array<char, 65536> buffer{};
    for (ssize_t size = 1; size > 0;) {
      size = pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
      if (size > 0) text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int file_;
};

int spawn(const std::vector<std::string>& arguments, int output, int complaint, pid_t& child) {
  std::vector<char*> words;
  for (const std::string& text : arguments) words.push_back(const_cast<char*>(text.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, complaint, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failure =
      posix_spawnp(&child, words.front(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

}  // namespace

pid_t start_command(const std::vector<std::string>& arguments, int output, int complaint) {
  pid_t child = 0;
  if (const int failure = spawn(arguments, output, complaint, child); failure != 0) {
    throw value_error(fmt::format("cannot run {}: {}; the command must be in PATH",
                                  arguments.front(), std::strerror(failure)));
  }
  return child;
}

command_result run_command(const std::vector<std::string>& arguments) {
  const printed_text output;
  const printed_text complaint;
  const pid_t child = start_command(arguments, output.file(), complaint.file());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, output.read(), complaint.read()};
}

std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (const char character : text)
    quoted += character == '\'' ? "'\\''" : std::string(1, character);
  return quoted + "'";
}

}  // namespace tessera::job_arrays
