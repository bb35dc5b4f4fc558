// SPDX-License-Identifier: Apache-2.0
#include "executor/launcher/launcher_system.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/api/this_program.hpp"
#include "executor/array/directory_messages.hpp"
#include "executor/array/start_command.hpp"
#include "executor/array/worker_command.hpp"
#include "executor/descriptor.hpp"
#include "executor/launcher/process_group.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>

namespace tessera::launchers {

namespace {

using namespace std::chrono_literals;
using job_arrays::queued_element;

/// The pause before a cancelled launcher is told to end, and the pause before it is killed.
constexpr session_time patience_of_tasks = 1s;
constexpr session_time patience_of_launchers = 1s;

/// The file with the output of a launcher, in the folder of its array.
constexpr auto output_file = "launcher.out";
/// The states of elements.
constexpr auto running = "running";
constexpr auto cancelled = "cancelled";
constexpr auto ended = "ended";

}  // namespace

launcher_system::~launcher_system() { end_all(); }

std::vector<std::string> launcher_system::command(const job_arrays::array_request& request) const {
  constexpr std::uint64_t spare_mebibytes = 64;
  std::vector<std::string> words{
      "env",
      "OPENBLAS_NUM_THREADS=1",
      fmt::format("{}={}", worker_variable,
                  job_arrays::worker_text(index_variable, request.location)),
      fmt::format("TESSERA_ARRAY_SIZE={}", request.num_elements),
      fmt::format("TESSERA_ARRAY_WORKERS={}", options_.workers),
      fmt::format("TESSERA_ARRAY_MEMORY={}",
                  job_arrays::mebibytes_to_ask(request.reserved.resident + request.task_memory,
                                               spare_mebibytes)),
      fmt::format("TESSERA_ARRAY_NAME={}-{}", run_, request.array),
      "sh",
      "-c",
      fmt::format("exec {} \"$@\"", options_.command),
      "sh"};
  for (std::string& word : this_program()) words.push_back(std::move(word));
  return words;
}

std::string launcher_system::submit(const job_arrays::array_request& request) {
  const std::filesystem::path output = request.folder / output_file;
  const descriptor file(open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) throw store_error("cannot write '" + output.string() + "'", true);
  launched_.push_back({request.array, request.num_elements, request.folder,
                       job_arrays::start_command(command(request), file.get(), file.get())});
  return std::to_string(request.array);
}

/// Takes notice of launchers that have ended. One that fails may leave programs on this host, which
/// end with it.
void launcher_system::look() {
  for (launched_array& launched : launched_) {
    if (!launched.status) look(launched);
    if (!launched.status || launched.is_waited_for) continue;
    const bool may_leave_programs = *launched.status == 0 && !launched.is_cancelled;
    // No other process group has the number as long as the launcher is not waited for.
    if (!may_leave_programs && has_running_process(launched.process)) continue;
    waitpid(launched.process, nullptr, 0);
    launched.is_waited_for = true;
  }
}

void launcher_system::look(launched_array& launched) {
  siginfo_t end{};
  const auto process = static_cast<id_t>(launched.process);
  const int failure = waitid(P_PID, process, &end, WEXITED | WNOHANG | WNOWAIT);
  if (failure != 0 && errno == ECHILD) {
    // The program ignores SIGCHLD, or waits for all of its processes: the status is lost.
    launched.status = 0;
    launched.is_waited_for = true;
  } else if (failure == 0 && end.si_pid != 0) {
    launched.status =
        end.si_code == CLD_EXITED ? job_arrays::status_of_shell(end.si_status) : end.si_status;
    if (*launched.status != 0) kill(-launched.process, SIGTERM);
  }
}

std::vector<queued_element> launcher_system::list() {
  look();
  // The folder of a complete array is gone.
  std::erase_if(launched_, [](const launched_array& launched) {
    std::error_code ignored;
    return launched.is_waited_for && !std::filesystem::exists(launched.folder, ignored);
  });
  std::vector<queued_element> elements;
  for (const launched_array& launched : launched_) {
    const char* const state = !launched.status        ? running
                              : launched.is_cancelled ? cancelled
                                                      : ended;
    for (std::size_t i = 0; i < launched.num_elements; ++i) {
      elements.push_back({launched.array, i, state, {}, launched.status.value_or(0)});
    }
  }
  return elements;
}

job_arrays::element_verdict launcher_system::judge(const queued_element& element) const {
  return {element.state != running, element.state == cancelled, {}};
}

std::string launcher_system::describe_loss(const queued_element& element,
                                           std::string_view printed) const {
  const auto launched = std::ranges::find(launched_, element.array, &launched_array::array);
  if (element.state == cancelled || launched == launched_.end()) return "was cancelled";
  // A talkative launcher may have written more than memory holds.
  constexpr std::size_t longest_end = 4096;
  const std::string words =
      job_arrays::directory_messages(launched->folder.string()).get_end(output_file, longest_end);
  return job_arrays::with_last_line(
      fmt::format("has not {}, and its launcher {}", element.has_begun ? "reported" : "begun",
                  job_arrays::describe_exit(element.exit_status)),
      words.empty() ? printed : std::string_view(words));
}

/// The launcher leads a process group. Its programs on this host are in it.
void launcher_system::terminate(launched_array& launched) {
  launched.is_cancelled = true;
  if (!launched.status) kill(-launched.process, SIGTERM);
}

void launcher_system::cancel_waiting() {
  if (!cancelled_since_) cancelled_since_ = clock_.now();
  if (clock_.now() - *cancelled_since_ < patience_of_tasks) return;
  (void)cancel_all();
  if (!terminated_since_) terminated_since_ = clock_.now();
  if (clock_.now() - *terminated_since_ >= patience_of_launchers) kill_all();
}

void launcher_system::cancel_element(const std::string& job, std::size_t /*element*/) {
  for (launched_array& launched : launched_) {
    if (std::to_string(launched.array) == job && launched.num_elements == 1) terminate(launched);
  }
}

bool launcher_system::cancel_all() {
  for (launched_array& launched : launched_) {
    if (!launched.status && !launched.is_cancelled) terminate(launched);
  }
  return true;
}

bool launcher_system::have_ended_within(session_time longest) {
  const session_time end = clock_.now() + longest;
  while (true) {
    look();
    if (std::ranges::all_of(launched_, &launched_array::is_waited_for)) return true;
    if (clock_.now() >= end) return false;
    std::this_thread::sleep_for(10ms);
  }
}

void launcher_system::end_all() {
  // The launcher of a complete array ends by itself.
  if (have_ended_within(patience_of_tasks)) return;
  (void)cancel_all();
  if (have_ended_within(patience_of_launchers)) return;
  kill_all();
  (void)have_ended_within(patience_of_launchers);
}

void launcher_system::kill_all() {
  for (const launched_array& launched : launched_) {
    if (!launched.is_waited_for) kill(-launched.process, SIGKILL);
  }
}

}  // namespace tessera::launchers
