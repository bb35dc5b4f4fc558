// SPDX-License-Identifier: Apache-2.0
#include "executor/array/array_system.hpp"

#include "executor/process_status.hpp"
#include "executor/unfit_worker.hpp"

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>

namespace tessera::job_arrays {

worker_memory memory_of_process() {
  return {read_process_status("VmHWM:"), read_process_status("VmPeak:"),
          read_process_status("VmData:")};
}

bool is_unfit(const queued_element& element) {
  return WIFEXITED(element.exit_status) && WEXITSTATUS(element.exit_status) == exit_code_of_unfit;
}

std::string describe_exit(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    return fmt::format("{} signal {} (SIG{}){}",
                       signal == SIGKILL || signal == SIGTERM ? "killed by" : "crashed:", signal,
                       name != nullptr ? name : "?",
                       signal == SIGKILL ? ", by hand or as its node ran out of memory" : "");
  }
  if (WEXITSTATUS(status) == exit_code_of_unfit) return "cannot run on its node";
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

int status_of_shell(int code) { return code > 128 && code < 128 + NSIG ? code - 128 : code << 8; }

std::uint64_t mebibytes_to_ask(bytes memory, std::uint64_t spare_mebibytes) {
  constexpr std::uint64_t mebibyte = 1 << 20U;
  return memory.count() / mebibyte + 1 + spare_mebibytes;
}

std::string with_last_line(const std::string& end, std::string_view printed) {
  while (printed.ends_with('\n')) printed.remove_suffix(1);
  const std::string_view line = printed.substr(printed.rfind('\n') + 1);
  return fmt::format("{}{}{}", end, line.empty() ? "" : "; it last printed: ", line);
}

}  // namespace tessera::job_arrays
