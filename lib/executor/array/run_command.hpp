// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of commands.

#include <string>
#include <string_view>
#include <vector>

namespace tessera::job_arrays {

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

/// Returns `text` quoted for a shell.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace tessera::job_arrays
