// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"

#include "core/api/host_name.hpp"
#include "core/api/location_names.hpp"
#include "executor/api/driver_host.hpp"
#include "executor/api/this_program.hpp"
#include "runtime/detached_folder.hpp"
#include "runtime/run_program.hpp"
#include "runtime/terminate_handler.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace tessera {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The environment variable with the directory of the driver's files.
constexpr auto detached_variable = "TESSERA_DETACHED";

/// Returns this program's command with a variable of the environment.
std::vector<std::string> command_with(const std::string& variable, const std::string& value) {
  std::vector<std::string> words{"env", fmt::format("{}={}", variable, value)};
  for (std::string& word : this_program()) words.push_back(std::move(word));
  return words;
}

sigset_t signals_of_supervisor() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

/// Returns the last bytes of a file, at most `longest`.
std::string end_of_file(const fs::path& path, std::streamoff longest) {
  std::ifstream in(path, std::ios::ate | std::ios::binary);
  if (!in) return {};
  in.seekg(std::max<std::streamoff>(0, in.tellg() - longest));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The files that the driver writes, status and output, in the folder of the run. If the folder is
/// in a store, they are in a directory of this host, and are copied.
class driver_files {
 public:
  driver_files(const detached_folder& folder, const std::string& location)
      : folder_(folder), directory_(location) {}

  [[nodiscard]] const fs::path& directory() const { return directory_.path(); }

  /// Copies a status that has changed.
  void copy_status() {
    if (!directory_.is_temporary()) return;
    std::string status = end_of_file(directory() / status_name, longest_copy);
    if (status.empty() || status == copied_status_) return;
    folder_.put(status_name, status);
    copied_status_ = std::move(status);
  }
  void copy_all() {
    copy_status();
    if (!directory_.is_temporary()) return;
    folder_.put(output_name, end_of_file(directory() / output_name, longest_copy));
  }

 private:
  static constexpr std::streamoff longest_copy = std::streamoff{1} << 20U;

  const detached_folder& folder_;
  local_directory directory_;
  std::string copied_status_;
};

/// Waits for the end of the driver, and returns its exit code. It passes on a wish to stop.
int watch_driver(pid_t driver, const detached_folder& folder, driver_files& files) {
  const sigset_t signals = signals_of_supervisor();
  bool is_stopped = false;
  std::uint64_t num_signs = 0;
  for (auto next_look = std::chrono::steady_clock::now();;) {
    bool is_told = false;
    if (std::chrono::steady_clock::now() >= next_look) {
      next_look += folder.times().renewal;
      try {
        folder.put(alive_name, fmt::format("{} on {}, {}\n", getpid(), host_name(), ++num_signs));
        files.copy_status();
      } catch (const store_error&) {
        // A full disk is no reason to end the run.
      }
      is_told = folder.exists(stop_name);
    }
    constexpr timespec second{1, 0};
    const int signal = sigtimedwait(&signals, nullptr, &second);
    int status = 0;
    if (waitpid(driver, &status, WNOHANG) == driver) return exit_code_of(status);
    is_told |= signal == SIGTERM || signal == SIGINT;
    if (is_told && !is_stopped) kill(driver, SIGTERM);
    is_stopped |= is_told;
  }
}

/// The role of the supervisor. A system may start it again after the loss of a node.
int supervise(const std::string& location) {
  const detached_folder folder(location);
  if (folder.exists(exit_name)) return EXIT_SUCCESS;
  const sigset_t signals = signals_of_supervisor();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  int code = interrupted_code;
  if (!folder.exists(stop_name)) {
    driver_files files(folder, location);
    const std::string directory = files.directory().string();
    code = watch_driver(
        start_program(command_with(detached_variable, directory),
                      (files.directory() / output_name).string(), program_place::beside),
        folder, files);
    files.copy_all();
  }
  folder.put(exit_name, std::to_string(code));
  return code;
}

const bool is_role_known = register_worker_role(driver_role, supervise);

}  // namespace

std::string start_supervisor(const std::string& location) {
  const std::string output =
      is_location(location) ? "/dev/null" : (fs::path(location) / supervisor_output).string();
  const pid_t process =
      start_program(command_with(worker_variable, fmt::format("{}:{}", driver_role, location)),
                    output, program_place::detached);
  return fmt::format("process {} on {}", process, host_name());
}

fs::path take_driver_directory() {
  const char* const text = std::getenv(detached_variable);
  if (text == nullptr) return {};
  fs::path directory = text;
  unsetenv(detached_variable);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return directory;
}

}  // namespace tessera
