// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command that starts an element of a job array.

#include "executor/array/array_system.hpp"

#include <string>
#include <string_view>

namespace tessera::job_arrays {

/// Returns the value of `worker_variable` for the elements of the array with this folder, a
/// path or a URL. An element's number, counted from zero, is in the environment variable `index`.
[[nodiscard]] std::string worker_text(std::string_view index, const std::string& folder);

/// Returns lines of a shell script that are common to all systems: assignments of variables for an
/// element or a driver, and the command of this program. An element has a single processor, and
/// each thread of OpenBLAS would take 128 MiB of address space.
[[nodiscard]] std::string script_assignments(std::string_view index, const array_request& request);
[[nodiscard]] std::string script_command();

/// Returns the line of a shell script that writes the output of an element into the directory of
/// its array, if this host sees the directory. `index` is the element's number, as the shell
/// expands it.
[[nodiscard]] std::string script_redirection(std::string_view index, const array_request& request);

/// Returns the value of `worker_variable` for a measurement of the program's memory without data.
[[nodiscard]] std::string measuring_text(const std::string& run_folder);

}  // namespace tessera::job_arrays
