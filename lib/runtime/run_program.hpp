// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs another program and waits for its end.

#include <string>
#include <vector>

namespace tessera {

/// Runs a program by its words: its path or a name in PATH, then its arguments. Its output is in
/// the file `output`. Returns its exit code, or 128 and the number of the signal that ended it.
///
/// Throws: value_error <- it cannot be started.
int run_program(const std::vector<std::string>& words, const std::string& output);

}  // namespace tessera
