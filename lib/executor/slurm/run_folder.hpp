// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a run on Slurm.

#include "executor/descriptor.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace tessera::slurm {

/// The folder of a run on Slurm, whose name is that of its jobs. It is locked for as long as its
/// driver lives, so that another one can tell whose jobs nobody waits for.
class run_folder {
 public:
  /// Makes a new folder in `directory`, which goes with the program if that was not there.
  ///
  /// Throws: store_error <- it cannot be made.
  explicit run_folder(const std::filesystem::path& directory);
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;
  /// Removes the folder.
  ~run_folder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string name() const { return path_.filename().string(); }

 private:
  std::filesystem::path path_;
  descriptor lock_;
};

/// Removes the folders in `directory` whose driver is gone, each if `end_jobs`, given its name,
/// has ended its jobs.
void remove_orphans(const std::filesystem::path& directory,
                    const std::function<bool(const std::string& name)>& end_jobs);

}  // namespace tessera::slurm
