// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The role of a process of this program that was started as a worker; it replaces `main`.

#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// The environment variable that makes a process of this program a worker: "<role>:<argument>".
inline constexpr const char* worker_variable = "TESSERA_WORKER";

/// The role of a worker, given its argument; returns the process's exit code.
using worker_role = std::function<int(const std::string& argument)>;

/// Makes a role known, and returns true: `const bool is_known = register_worker_role(...);` at
/// namespace scope.
bool register_worker_role(const std::string& name, worker_role role);

/// Plays the role that the environment names, and ends the process with its exit code; returns if
/// it names none. Called by `ts::runtime`, so before any other work of the program.
///
/// From here on `program_arguments` knows how this program was started. The environment variable is
/// removed: processes that a worker starts are no workers.
void play_worker_role(int argc, char** argv);

/// Returns the arguments that this program was started with, its name first.
///
/// Throws: value_error <- the program has not made a runtime. Started again, it would run its
/// `main`
///         and be no worker.
[[nodiscard]] const std::vector<std::string>& program_arguments();

}  // namespace tessera
