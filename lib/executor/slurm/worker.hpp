// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The role of this program as an element of a job array.

#include <string>

namespace tessera::slurm {

/// The files in the folder of a run, beside the folders of its arrays. They hold the build of the
/// driver's program, the recipe of the workload, and the memory of the program without data. A
/// cancelled run has a marker file.
inline constexpr const char* build_file = "build";
inline constexpr const char* recipe_file = "recipe";
inline constexpr const char* reserved_file = "reserved";
inline constexpr const char* cancelled_file = "cancelled";

/// The name of the role, and the prefix of its argument for a measurement of the memory without
/// data. The argument is the folder of an array, or the prefix and the folder of the run.
inline constexpr const char* role = "slurm";
inline constexpr const char* measure_prefix = "measure:";

/// Runs the role and returns the exit code.
int play_role(const std::string& argument);

}  // namespace tessera::slurm
