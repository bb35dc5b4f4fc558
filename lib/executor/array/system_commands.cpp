// SPDX-License-Identifier: Apache-2.0
#include "executor/array/system_commands.hpp"

#include "tessera/core/error.hpp"

#include "executor/array/run_command.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::job_arrays {

namespace {

using namespace std::chrono_literals;

constexpr session_time longest_pause = 10s;

}  // namespace

void outage::failed(session_time now, const std::string& complaint) {
  if (!since_) {
    since_ = now;
    pause_ = 50ms;
  }
  if (now - *since_ >= patience_) {
    throw worker_error(
        fmt::format("{} (no answer for {} s)", complaint,
                    std::chrono::duration_cast<std::chrono::seconds>(patience_).count()));
  }
  pause_ = std::min(2 * pause_, longest_pause);
  next_ = now + pause_;
}

std::string system_commands::ask(const std::vector<std::string>& command) {
  if (!outage_.may_ask(clock_.now())) throw no_answer();
  const command_result result = run_command(command);
  if (result.is_well) {
    outage_.answered();
    has_answered_ = true;
    return result.output;
  }
  const std::string complaint =
      join_lines(result.complaint.empty() ? result.output : result.complaint);
  if (!facts_.is_outage(complaint)) {
    if (!has_answered_) {
      throw value_error(
          fmt::format("{}: there is no such system here: {}", facts_.system, complaint));
    }
    if (command.front() == facts_.submit) {
      throw value_error(fmt::format("{}: the jobs were refused: {}", facts_.system, complaint));
    }
  }
  outage_.failed(clock_.now(), fmt::format("{}: {}", facts_.system, complaint));
  throw no_answer();
}

std::string join_lines(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace tessera::job_arrays
