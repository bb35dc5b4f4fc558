// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Starts other programs.

#include <string>
#include <sys/types.h>
#include <vector>

namespace tessera {

/// The place of a program among processes.
enum class program_place {
  /// Beside this program: signals of the terminal reach it.
  beside,
  /// In a session of its own, which outlives the terminal.
  detached,
};

/// Starts a program by its words: its path or a name in PATH, then its arguments. Its output is
/// appended to the file `output`. Returns its process.
///
/// Throws: value_error <- the program cannot be started.
[[nodiscard]] pid_t start_program(const std::vector<std::string>& words, const std::string& output,
                                  program_place place);

/// Returns the exit code in a status of `waitpid`, or 128 and the number of the signal that has
/// ended the program.
[[nodiscard]] int exit_code_of(int status);

/// Runs a program with a new file for its output, and returns its exit code.
///
/// Throws: value_error <- the program cannot be started.
int run_program(const std::vector<std::string>& words, const std::string& output);

}  // namespace tessera
