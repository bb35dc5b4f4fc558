// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The circumstances of a study.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns `context_of_run` with affinity, file system, flags, commit, libraries, MPI, Slurm,
/// command, date and the load of the host. Facts of MPI and Slurm are "none" outside of them.
[[nodiscard]] std::map<std::string, std::string> context_of_study();

/// Returns a command without its secrets: of the arguments, those of studies, benchmarks and
/// Tessera; "..." for others.
[[nodiscard]] std::string public_command(const std::vector<std::string>& words);

/// Returns a set of processors in short: "0-3,8".
[[nodiscard]] std::string ranges_text(const std::vector<int>& sorted);

/// Returns the type and the place of the file system that holds `path`, by lines of
/// /proc/self/mounts: "ext4 at /home".
[[nodiscard]] std::string file_system_of(std::string_view path, std::string_view mounts);

}  // namespace tessera
