// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Slurm's commands: calls, and parsers of their output.

#include "tessera/scheduler/executor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::slurm {

/// The outcome and the output of a command.
struct command_result {
  bool is_well = false;
  std::string output;
  std::string complaint;
};

/// Runs a program and waits for its end. The program is in a process group of its own, so that
/// Ctrl-C does not interrupt a submission.
///
/// Throws: value_error <- there is no such program.
[[nodiscard]] command_result run_command(const std::vector<std::string>& arguments);

/// Tells whether a failure of a Slurm command may pass: the controller does not answer, or has no
/// capacity at present.
[[nodiscard]] bool is_outage(std::string_view complaint);

/// The state of an element of a job array in Slurm.
struct queued_element {
  /// The array, by the number at the begin of its comment, and the element's index in it.
  std::size_t array = 0;
  std::size_t element = 0;
  std::string state;
  std::string reason;
  /// As of `waitpid`.
  int exit_status = 0;
};

/// Tells whether an element has ended because its program cannot run on its node.
[[nodiscard]] bool is_unfit(const queued_element& element);

/// The columns for `squeue`, and the parser of its output. The parser skips other jobs than
/// elements of arrays of a run.
inline constexpr const char* queue_format =
    "--Format=ArrayTaskID: ,exit_code: ,State: ,Reason:|,Comment:";
[[nodiscard]] std::vector<queued_element> parse_queue(const std::string& text);

/// Returns the value of a line of `scontrol show config`, "MaxArraySize            = 1001".
[[nodiscard]] std::optional<std::size_t> parse_config(const std::string& text,
                                                      std::string_view key);

/// Tells whether a state is final.
[[nodiscard]] bool has_ended(std::string_view state);

/// A reason for which a waiting element never runs, and whether a resubmission may help.
struct hindrance {
  std::string why;
  bool may_pass = false;
};
[[nodiscard]] std::optional<hindrance> find_hindrance(const queued_element& element);

/// Describes the end of an element without a report, for a message. `printed` is the end of the
/// output of the element and of Slurm's messages about it.
[[nodiscard]] std::string describe_loss(const queued_element& element,
                                        std::string_view printed = {});

/// Returns `text` quoted for a shell.
[[nodiscard]] std::string quote(std::string_view text);

/// The times of retries during an outage of the controller (exponential backoff).
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

}  // namespace tessera::slurm
