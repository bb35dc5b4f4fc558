// SPDX-License-Identifier: Apache-2.0
#include "runtime/api/detached_run.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"
#include "tessera/scheduler/executor.hpp"

#include "core/api/file_names.hpp"
#include "executor/api/driver_host.hpp"
#include "executor/api/this_program.hpp"
#include "observe/api/text_file.hpp"
#include "runtime/run_program.hpp"
#include "runtime/terminate_handler.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using steady_time = std::chrono::steady_clock::time_point;

constexpr auto job_file = "job";
constexpr auto alive_file = "alive";
constexpr auto status_name = "status";
constexpr auto output_name = "output";
constexpr auto stop_file = "stop";
constexpr auto exit_file = "exit";
/// The output of the supervisor, also as a job.
constexpr auto supervisor_output = "0.out";
/// The environment variable with the folder of the run, for its driver.
constexpr auto detached_variable = "TESSERA_DETACHED";
/// A supervisor that has not written its file for so long is dead.
constexpr auto supervisor_patience = 30s;
constexpr auto look_period = 200ms;

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the last lines of a file.
std::string last_lines(const fs::path& path) {
  constexpr std::streamoff length = 2048;
  std::ifstream in(path, std::ios::ate | std::ios::binary);
  if (!in) return {};
  const std::streamoff begin = std::max<std::streamoff>(0, in.tellg() - length);
  in.seekg(begin);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (begin > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string host_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

/// Returns this program's command with a variable of the environment.
std::vector<std::string> command_with(const std::string& variable, const std::string& value) {
  std::vector<std::string> words{"env", fmt::format("{}={}", variable, value)};
  for (std::string& word : this_program()) words.push_back(std::move(word));
  return words;
}

/// Starts the supervisor as a process, and returns the process in words.
std::string start_supervisor(const fs::path& folder) {
  const pid_t process = start_program(
      command_with(worker_variable, fmt::format("{}:{}", driver_role, folder.string())),
      (folder / supervisor_output).string(), program_place::detached);
  return fmt::format("process {} on {}", process, host_name());
}

sigset_t signals_of_supervisor() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

/// Waits for the end of the driver, and returns its exit code. It passes on a wish to stop.
int watch_driver(pid_t driver, const fs::path& folder) {
  const sigset_t signals = signals_of_supervisor();
  bool is_stopped = false;
  const std::string words = fmt::format("{} on {}\n", getpid(), host_name());
  while (true) {
    try {
      write_text_file((folder / alive_file).string(), words);
    } catch (const store_error&) {
      // A full disk is no reason to end the run.
    }
    constexpr timespec second{1, 0};
    const int signal = sigtimedwait(&signals, nullptr, &second);
    int status = 0;
    if (waitpid(driver, &status, WNOHANG) == driver) return exit_code_of(status);
    const bool is_told = signal == SIGTERM || signal == SIGINT || is_there(folder / stop_file);
    if (is_told && !is_stopped) kill(driver, SIGTERM);
    is_stopped |= is_told;
  }
}

/// The role of the supervisor. A system may start it again after the loss of a node.
int supervise(const std::string& argument) {
  const fs::path folder = argument;
  if (is_there(folder / exit_file)) return EXIT_SUCCESS;
  const sigset_t signals = signals_of_supervisor();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  int code = interrupted_code;
  if (!is_there(folder / stop_file)) {
    code = watch_driver(start_program(command_with(detached_variable, folder.string()),
                                      (folder / output_name).string(), program_place::beside),
                        folder);
  }
  write_text_file((folder / exit_file).string(), std::to_string(code));
  return code;
}

const bool is_role_known = register_worker_role(driver_role, supervise);

/// Notices the death of a supervisor by its file, as clocks of hosts differ.
class heartbeat {
 public:
  explicit heartbeat(fs::path file) : file_(std::move(file)) {}

  [[nodiscard]] bool has_begun() const { return is_there(file_); }
  [[nodiscard]] bool has_stopped() {
    std::error_code failure;
    const fs::file_time_type time = fs::last_write_time(file_, failure);
    if (failure) return false;
    const steady_time now = std::chrono::steady_clock::now();
    if (time != written_) changed_ = now;
    written_ = time;
    return now - changed_ > supervisor_patience;
  }

 private:
  fs::path file_;
  fs::file_time_type written_{};
  steady_time changed_{};
};

/// Returns the exit code of a run that has ended.
std::optional<int> exit_code_in(const fs::path& folder) {
  int code = 0;
  if (!(std::ifstream(folder / exit_file) >> code)) return std::nullopt;
  return code;
}

std::string state_text(const fs::path& folder) {
  if (is_there(folder / status_name)) return read_text(folder / status_name);
  return fmt::format("{}: {}\n", read_text(folder / job_file),
                     is_there(folder / alive_file) ? "no computation has begun" : "waits");
}

/// Shows the state of a run, over the previous one on a terminal.
class display {
 public:
  explicit display(const fs::path& folder) : folder_(folder) {}

  void refresh() {
    const std::string text = state_text(folder_);
    if (text == shown_ || isatty(STDOUT_FILENO) == 0) return;
    const auto lines = std::ranges::count(shown_, '\n');
    if (lines > 0) std::cout << fmt::format("\x1b[{}A\x1b[J", lines);
    std::cout << text << std::flush;
    shown_ = text;
  }
  void end() {
    refresh();
    if (shown_.empty()) std::cout << state_text(folder_) << std::flush;
  }

 private:
  fs::path folder_;
  std::string shown_;
};

void wait_for_end(const fs::path& folder) {
  heartbeat supervisor(folder / alive_file);
  display shown(folder);
  while (!is_there(folder / exit_file)) {
    shown.refresh();
    if (supervisor.has_stopped()) {
      throw worker_error(fmt::format(
          "the run in \"{}\" ({}) has died; start the program again, and it goes on from there",
          folder.string(), read_text(folder / job_file)));
    }
    std::this_thread::sleep_for(look_period);
  }
  shown.end();
}

/// Prints the end of the output of a run that has ended, and returns its exit code.
int print_end(const fs::path& folder) {
  const int code = exit_code_in(folder).value_or(EXIT_FAILURE);
  std::cout << last_lines(folder / output_name)
            << fmt::format("ended with exit code {}; {} has the output\n", code,
                           (folder / output_name).string());
  return code;
}

}  // namespace

attach_request parse_attach_request(std::string_view text) {
  attach_request request{text};
  const std::string_view action = text.substr(std::min(text.rfind(','), text.size()));
  if (action == ",show") request.action = attach_action::show;
  if (action == ",stop") request.action = attach_action::stop;
  if (request.action != attach_action::wait) {
    request.folder = text.substr(0, text.size() - action.size());
  }
  if (request.folder.empty()) {
    throw value_error("--tessera-attach: name the folder of a detached run, as in runs/first");
  }
  return request;
}

void detach(const fs::path& folder, executor& engine) {
  if (engine.group() != nullptr) {
    throw value_error(fmt::format(
        "--tessera-detach: the processes of {} have been started together; detach their launcher",
        engine.name()));
  }
  const fs::path path = absolute_name(folder.string());
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  if (!fs::create_directory(path, failure)) {
    throw store_error(fmt::format("--tessera-detach: \"{}\" {}; a detached run needs a new folder",
                                  path.string(),
                                  failure ? "cannot be created: " + failure.message() : "exists"));
  }
  auto* const host = dynamic_cast<driver_host*>(&engine);
  std::optional<std::string> job = host != nullptr ? host->submit_driver(path) : std::nullopt;
  if (!job) job = start_supervisor(path);
  write_text_file((path / job_file).string(), *job);
  std::cout << fmt::format("detached as {}; --tessera-attach={} shows it\n", *job, folder.string())
            << std::flush;
}

fs::path take_detached_folder() {
  const char* const text = std::getenv(detached_variable);
  if (text == nullptr) return {};
  fs::path folder = text;
  unsetenv(detached_variable);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return folder;
}

std::string status_path(const fs::path& folder) { return (folder / status_name).string(); }

bool is_of_detached_run(const fs::path& folder) { return is_there(folder / job_file); }

int attach(const attach_request& request) {
  const fs::path& folder = request.folder;
  if (!is_of_detached_run(folder)) {
    throw value_error(
        fmt::format("--tessera-attach: there is no detached run in \"{}\"", folder.string()));
  }
  if (request.action == attach_action::stop) write_text_file((folder / stop_file).string(), "");
  const bool is_to_wait = request.action == attach_action::wait ||
                          (request.action == attach_action::stop && is_there(folder / alive_file));
  if (is_to_wait) {
    wait_for_end(folder);
  } else {
    std::cout << state_text(folder) << std::flush;
  }
  return is_there(folder / exit_file) ? print_end(folder) : EXIT_SUCCESS;
}

}  // namespace tessera
