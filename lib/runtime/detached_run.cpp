// SPDX-License-Identifier: Apache-2.0
#include "runtime/api/detached_run.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"

#include "core/api/file_names.hpp"
#include "core/api/location_names.hpp"
#include "executor/api/driver_host.hpp"
#include "runtime/detached_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

namespace fs = std::filesystem;
using steady_time = std::chrono::steady_clock::time_point;

/// Notices the death of a supervisor by its signs of life, as clocks of hosts differ.
class heartbeat {
 public:
  explicit heartbeat(const detached_folder& folder) : folder_(folder) {}

  [[nodiscard]] bool has_stopped() {
    const auto sign = folder_.get(alive_name);
    if (!sign) return false;
    const steady_time now = std::chrono::steady_clock::now();
    if (*sign != sign_) changed_ = now;
    sign_ = *sign;
    return now - changed_ > folder_.times().silence;
  }

 private:
  const detached_folder& folder_;
  std::string sign_;
  steady_time changed_{};
};

/// Returns the exit code of a run that has ended.
std::optional<int> exit_code_in(const detached_folder& folder) {
  int code = 0;
  if (!(std::istringstream(folder.get(exit_name).value_or("")) >> code)) return std::nullopt;
  return code;
}

std::string state_text(const detached_folder& folder) {
  if (auto status = folder.get(status_name)) return std::move(*status);
  return fmt::format("{}: {}\n", folder.get(job_name).value_or(""),
                     folder.exists(alive_name) ? "no computation has begun" : "waits");
}

/// Shows the state of a run, over the previous one on a terminal.
class display {
 public:
  explicit display(const detached_folder& folder) : folder_(folder) {}

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
  const detached_folder& folder_;
  std::string shown_;
};

void wait_for_end(const detached_folder& folder) {
  heartbeat supervisor(folder);
  display shown(folder);
  while (!folder.exists(exit_name)) {
    shown.refresh();
    if (supervisor.has_stopped()) {
      throw worker_error(fmt::format(
          "the run in \"{}\" ({}) has died; start the program again, and it goes on from there",
          folder.location(), folder.get(job_name).value_or("")));
    }
    std::this_thread::sleep_for(folder.times().look);
  }
  shown.end();
}

/// Prints the end of the output of a run that has ended, and returns its exit code.
int print_end(const detached_folder& folder) {
  const int code = exit_code_in(folder).value_or(EXIT_FAILURE);
  std::cout << folder.last_lines(output_name)
            << fmt::format("ended with exit code {}; {} has the output\n", code,
                           name_in(folder.location(), output_name));
  return code;
}

/// Refuses a folder that is not new, or creates it.
void begin_folder(const detached_folder& folder) {
  std::error_code failure;
  bool is_new = folder.is_empty();
  if (!is_location(folder.location())) {
    const fs::path path = folder.location();
    fs::create_directories(path.parent_path(), failure);
    is_new = fs::create_directory(path, failure);
  }
  if (is_new) return;
  throw store_error(fmt::format("--tessera-detach: \"{}\" {}; a detached run needs a new folder",
                                folder.location(),
                                failure ? "cannot be created: " + failure.message() : "exists"));
}

}  // namespace

detached_folder::detached_folder(const std::string& location)
    : messages_(job_arrays::open_message_folder(location)) {
  using namespace std::chrono_literals;
  if (is_location(location)) times_ = {10s, 90s, 5s};
}

std::string detached_folder::last_lines(std::string_view name) const {
  constexpr std::size_t length = 2048;
  std::string text = messages_->get_end(name, length);
  if (text.size() == length) text.erase(0, std::min(text.find('\n'), length - 1) + 1);
  return text;
}

local_directory::local_directory(const std::string& location)
    : is_temporary_(is_location(location)), path_(location) {
  if (!is_temporary_) return;
  std::string name = (fs::temp_directory_path() / "tessera-detached-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw store_error(fmt::format("cannot create a directory in {}: {}",
                                  fs::temp_directory_path().string(), std::strerror(errno)));
  }
  path_ = name;
}

local_directory::~local_directory() {
  std::error_code ignored;
  if (is_temporary_) fs::remove_all(path_, ignored);
}

attach_request parse_attach_request(std::string_view text) {
  attach_request request{std::string(text)};
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

void detach(const std::string& name, executor& engine) {
  if (engine.group() != nullptr) {
    throw value_error(fmt::format(
        "--tessera-detach: the processes of {} have been started together; detach their launcher",
        engine.name()));
  }
  const std::string location = absolute_name(name);
  const detached_folder folder(location);
  begin_folder(folder);
  auto* const host = dynamic_cast<driver_host*>(&engine);
  std::optional<std::string> job;
  if (host != nullptr) {
    // Systems copy the script of a job when they accept the job.
    const local_directory directory(location);
    job = host->submit_driver(directory.path(), location);
  }
  if (!job) job = start_supervisor(location);
  folder.put(job_name, *job);
  std::cout << fmt::format("detached as {}; --tessera-attach={} shows it\n", *job, name)
            << std::flush;
}

std::string take_status_path() {
  const fs::path directory = take_driver_directory();
  return directory.empty() ? std::string() : (directory / status_name).string();
}

bool is_of_detached_run(const std::string& location) {
  return detached_folder(location).exists(job_name);
}

int attach(const attach_request& request) {
  const detached_folder folder(request.folder);
  if (!folder.exists(job_name)) {
    throw value_error(
        fmt::format("--tessera-attach: there is no detached run in \"{}\"", request.folder));
  }
  if (request.action == attach_action::stop) folder.put(stop_name, "");
  const bool is_to_wait = request.action == attach_action::wait ||
                          (request.action == attach_action::stop && folder.exists(alive_name));
  if (is_to_wait) {
    wait_for_end(folder);
  } else {
    std::cout << state_text(folder) << std::flush;
  }
  return folder.exists(exit_name) ? print_end(folder) : EXIT_SUCCESS;
}

}  // namespace tessera
