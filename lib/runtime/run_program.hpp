// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs another program and waits for its end.

#include <string>
#include <vector>

namespace tessera {

/// Runs a program with the output into the file `output`. The first word is a path or a name in
/// PATH, the rest are arguments. Returns the exit code, or 128 plus the number of the signal that
/// ended the program.
///
/// Throws: value_error <- the program cannot be started.
int run_program(const std::vector<std::string>& words, const std::string& output);

}  // namespace tessera
