// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/zygote.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"
#include "tessera/scheduler/failures.hpp"

#include "executor/processes/system.hpp"
#include "executor/processes/zygote_main.hpp"
#include "executor/unfit_worker.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

// In this file, because the linker includes it in every program that starts a zygote.
const bool is_known = register_worker_role("zygote", zygote_main);

/// The descriptor of the socket in the zygote.
constexpr int zygote_socket = 3;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns the environment of a worker that finds `libraries` ready.
std::vector<std::string> worker_environment(const std::vector<std::string>& libraries) {
  std::vector<std::string> texts;
  for (char** text = environ; *text != nullptr; ++text) texts.emplace_back(*text);
  texts.push_back(
      fmt::format("{}=zygote:{}:{}", worker_variable, zygote_socket, fmt::join(libraries, ",")));
  // A worker computes on a single core. OpenBLAS would start its threads before the fork.
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) texts.emplace_back("OPENBLAS_NUM_THREADS=1");
  return texts;
}

/// Starts this program once more, from the running image, even if its file was replaced since. The
/// new process inherits only `socket`, standard output and standard error.
pid_t start_program(int socket, const std::vector<std::string>& libraries) {
  std::vector<std::string> arguments = program_arguments();
  std::vector<std::string> environment = worker_environment(libraries);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, zygote_socket);
  posix_spawn_file_actions_addclosefrom_np(&actions, zygote_socket + 1);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t pid = 0;
  const int code = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr,
                               pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    throw worker_error("executors::processes: this program cannot be started once more: " +
                       std::generic_category().message(code));
  }
  return pid;
}

/// Throws the reason for which a zygote ended before its first message.
[[noreturn]] void throw_early_end(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == exit_code_of_unfit) {
    throw takeover_error(
        "executors::processes: this program, started once more, cannot run here; it has printed "
        "the reason");
  }
  throw worker_error(
      "executors::processes: this program, started once more, has ended before its runtime was "
      "made; make it first in main");
}

}  // namespace

zygote::zygote(std::vector<std::string> libraries) : libraries_(std::move(libraries)) {
  auto [socket, socket_of_zygote] = connected_sockets();
  pid_ = start_program(socket_of_zygote.get(), libraries_);
  socket_of_zygote.reset();
  socket_ = std::move(socket);
  zygote_answer hello;
  if (receive_message(socket_.get(), std::as_writable_bytes(std::span(&hello, 1))).size == 0) {
    throw_early_end(pid_);
  }
  worker_memory_ = bytes{hello.memory};
  maps_memory_ = hello.maps_memory;
}

zygote::~zygote() {
  socket_.reset();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool zygote::ask(const zygote_request& request, std::span<const int> files, zygote_answer& answer) {
  const std::lock_guard lock(mutex_);
  return send_message(socket_.get(), std::as_bytes(std::span(&request, 1)), files) &&
         receive_message(socket_.get(), std::as_writable_bytes(std::span(&answer, 1))).size > 0;
}

pid_t zygote::fork_worker(int socket, int page) {
  zygote_answer answer;
  if (!ask({zygote_request::kind::fork, 0}, std::array{socket, page}, answer)) {
    throw worker_error("executors::processes: the process that workers are forked from was killed");
  }
  if (answer.worker < 0) {
    throw worker_error("executors::processes: the system starts no more processes: " +
                       std::generic_category().message(answer.status));
  }
  return answer.worker;
}

std::optional<int> zygote::wait_for_end(pid_t worker) {
  zygote_answer answer;
  if (!ask({zygote_request::kind::wait_for_end, worker}, {}, answer)) return std::nullopt;
  return answer.status;
}

}  // namespace tessera
