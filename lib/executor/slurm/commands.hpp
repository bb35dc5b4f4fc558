// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Slurm's commands: calls, and parsers of their output.

#include "executor/array/array_system.hpp"
#include "executor/array/run_command.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::slurm {

using job_arrays::command_result;
using job_arrays::hindrance;
using job_arrays::is_unfit;
using job_arrays::queued_element;
using job_arrays::quote;
using job_arrays::run_command;

/// Tells whether a failure of a Slurm command may pass: the controller does not answer, or has no
/// capacity at present.
[[nodiscard]] bool is_outage(std::string_view complaint);

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

/// Returns the reason for which a waiting element never runs.
[[nodiscard]] std::optional<hindrance> find_hindrance(const queued_element& element);

/// Describes the end of an element without a report, for a message. `printed` is the end of the
/// output of the element and of Slurm's messages about it.
[[nodiscard]] std::string describe_loss(const queued_element& element,
                                        std::string_view printed = {});

}  // namespace tessera::slurm
