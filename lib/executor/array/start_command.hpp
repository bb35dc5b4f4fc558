// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The start of a command that runs beside this program.

#include <string>
#include <sys/types.h>
#include <vector>

namespace tessera::job_arrays {

/// Starts a program in a process group of its own, and returns its process. The two descriptors
/// become its standard output and standard error. Its standard input is empty.
///
/// Throws: value_error <- there is no such program.
[[nodiscard]] pid_t start_command(const std::vector<std::string>& arguments, int output,
                                  int complaint);

}  // namespace tessera::job_arrays
