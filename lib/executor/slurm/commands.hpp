// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Slurm's commands: what they are told, and what they say.

#include "tessera/scheduler/executor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::slurm {

/// What a command that was run has said.
struct command_result {
  bool is_well = false;
  std::string output;
  std::string complaint;
};

/// Runs a program and waits for its end. It does not get the signals of this one's terminal: Ctrl-C
/// is not to end a submission in the middle.
///
/// Throws: value_error <- there is no such program.
[[nodiscard]] command_result run_command(const std::vector<std::string>& arguments);

/// Tells whether what a command of Slurm complains of may pass: its controller does not answer, or
/// has no room at present.
[[nodiscard]] bool is_outage(std::string_view complaint);

/// One element of a job array as Slurm sees it.
struct queued_element {
  /// The array, by the number at the begin of its comment, and the element's index in it.
  std::size_t array = 0;
  std::size_t element = 0;
  std::string state;
  std::string reason;
  /// As of `waitpid`.
  int exit_status = 0;
};

/// What `squeue` is asked for, and the elements in its answer. Jobs that are no element of an array
/// of a run are left out.
inline constexpr const char* queue_format =
    "--Format=ArrayTaskID: ,exit_code: ,State: ,Reason:|,Comment:";
[[nodiscard]] std::vector<queued_element> parse_queue(const std::string& text);

/// Returns the value of a line of `scontrol show config`, "MaxArraySize            = 1001".
[[nodiscard]] std::optional<std::size_t> parse_config(const std::string& text,
                                                      std::string_view key);

/// Tells whether an element in this state will run no more.
[[nodiscard]] bool has_ended(std::string_view state);

/// Returns why an element that waits will never run, and whether it would the next time.
struct hindrance {
  std::string why;
  bool may_pass = false;
};
[[nodiscard]] std::optional<hindrance> find_hindrance(const queued_element& element);

/// Returns what has become of an element that ended without a report, for a message; `printed` is
/// the end of what the element, and Slurm on its behalf, has printed.
[[nodiscard]] std::string describe_loss(const queued_element& element,
                                        std::string_view printed = {});

/// Returns `text` as one word of a shell.
[[nodiscard]] std::string quote(std::string_view text);

/// When to ask again what has not answered.
class outage {
 public:
  explicit outage(std::chrono::milliseconds patience) : patience_(patience) {}

  [[nodiscard]] bool may_ask(session_time now) const { return now >= next_; }
  void answered() { since_.reset(); }

  /// Notes that a command failed at `now`, and waits twice as long as before, at most ten seconds.
  ///
  /// Throws: worker_error <- nothing has answered for as long as the patience lasts.
  void failed(session_time now, const std::string& complaint);

 private:
  std::chrono::milliseconds patience_;
  std::optional<session_time> since_;
  session_time pause_{};
  session_time next_{};
};

}  // namespace tessera::slurm
