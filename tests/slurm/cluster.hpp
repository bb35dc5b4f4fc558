// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The Slurm that cluster.sh runs for the tests, and options that suit it.

#include "tessera/executor/slurm.hpp"

#include <cstddef>
#include <string>

namespace tessera::testing {

/// Returns a folder that is there for as long as the program runs.
[[nodiscard]] const std::string& own_folder();

/// Returns options for a Slurm on this host, which answers at once.
[[nodiscard]] slurm_options quick_options(std::size_t workers);

/// Returns the name of the jobs of the only run in `own_folder`; empty while there is none.
[[nodiscard]] std::string run_name();

/// Runs a line of shell and returns its output, without the last line's end; fails the test if the
/// line fails.
std::string shell(const std::string& line);

/// Returns how many jobs, of any name if `name` is empty, are in one of `states`.
[[nodiscard]] int num_jobs(const std::string& name, const std::string& states);

/// Does an action of cluster.sh: "kill-node".
void cluster(const std::string& action, const std::string& node = {});

/// For its lifetime, jobs of the partition may run for so long only, in minutes.
class time_limit {
 public:
  explicit time_limit(const std::string& minutes);
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;
  ~time_limit();
};

/// For its lifetime, a command of Slurm is a script, in which "$slurm" stands for the command.
class other_command {
 public:
  other_command(const std::string& name, const std::string& script);
  other_command(const other_command&) = delete;
  other_command& operator=(const other_command&) = delete;
  ~other_command();

 private:
  std::string folder_ = own_folder() + "-commands";
  std::string path_;
};

}  // namespace tessera::testing
