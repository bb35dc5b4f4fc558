// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of the commands of a batch system, with pauses while it does not answer.

#include "tessera/scheduler/run_batch.hpp"

#include "executor/array/array_system.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::job_arrays {

/// The times of retries during an outage of a system (exponential backoff).
class outage {
 public:
  explicit outage(std::chrono::milliseconds patience) : patience_(patience) {}

  [[nodiscard]] bool may_ask(session_time now) const { return now >= next_; }
  void answered() { since_.reset(); }

  /// Records a failure at `now`, and doubles the pause, up to ten seconds.
  ///
  /// Throws: worker_error <- no command has succeeded for the duration of the patience.
  void failed(session_time now, const std::string& complaint);

 private:
  std::chrono::milliseconds patience_;
  std::optional<session_time> since_;
  session_time pause_{};
  session_time next_{};
};

/// The facts about a system's commands.
struct command_facts {
  /// The name of the system, for messages.
  std::string system;
  /// The command that submits jobs.
  std::string submit;
  /// Tells whether a failure of a command may pass.
  bool (*is_outage)(std::string_view complaint);
};

/// The commands of a batch system. During an outage, a call throws without running its command
/// until the pause is over.
class system_commands {
 public:
  system_commands(command_facts facts, std::chrono::milliseconds patience)
      : facts_(std::move(facts)), outage_(patience) {}

  /// Runs a command and returns its output.
  ///
  /// Throws: no_answer <- the system does not answer.
  ///         value_error <- the first command fails: there is no such system.
  ///                        The system refuses a submission.
  ///         worker_error <- the system has not answered for too long.
  std::string ask(const std::vector<std::string>& command);

 private:
  command_facts facts_;
  session_clock clock_;
  outage outage_;
  bool has_answered_ = false;
};

/// Returns a text in one line.
[[nodiscard]] std::string join_lines(std::string text);

}  // namespace tessera::job_arrays
