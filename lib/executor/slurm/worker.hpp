// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What this program does where Slurm has started it.

#include <string>

namespace tessera::slurm {

/// The files of a run's folder, beside the folders of its arrays: what its workload is made of,
/// what the program uses before any data, and, once the run is cancelled, a file that says so.
inline constexpr const char* recipe_file = "recipe";
inline constexpr const char* reserved_file = "reserved";
inline constexpr const char* cancelled_file = "cancelled";

/// The name of the role, and what its argument begins with where a worker is to measure what it
/// uses before any data; then the run's folder follows, otherwise an array's.
inline constexpr const char* role = "slurm";
inline constexpr const char* measure_prefix = "measure:";

/// Plays the role; returns the exit code.
int play_role(const std::string& argument);

}  // namespace tessera::slurm
