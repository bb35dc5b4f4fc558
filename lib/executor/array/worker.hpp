// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The role of this program as an element of a job array.

#include <string>

namespace tessera::job_arrays {

/// The messages in the folder of a run, beside the folders of its arrays. They hold the build of
/// the driver's program, the recipe of the workload, and the memory of the program without data. A
/// cancelled run has a marker.
inline constexpr const char* build_file = "build";
inline constexpr const char* recipe_file = "recipe";
inline constexpr const char* reserved_file = "reserved";
inline constexpr const char* cancelled_file = "cancelled";

/// The name of the role, and the prefix of its argument for a measurement of the memory without
/// data. The argument is "<variable>[-<first>]:<folder>": the environment variable with the number
/// of the element, the number of the first element (0 by default), and the folder of the array, a
/// path or a URL; or the prefix and the folder of the run.
inline constexpr const char* role = "array";
inline constexpr const char* measure_prefix = "measure:";

/// Runs the role and returns the exit code. The system ends the process with its parent if the
/// environment variable TESSERA_WORKER_DIES_WITH_PARENT is 1.
///
/// Throws: unfit_worker <- this program cannot run the element here.
int play_role(const std::string& argument);

}  // namespace tessera::job_arrays
