// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a run.

#include "executor/descriptor.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace tessera::job_arrays {

/// The folder of a run. Its name is the name of the run's jobs.
///
/// The driver holds a lock on the folder for its lifetime. A folder without a lock belongs to a
/// dead driver, and its jobs are orphans.
class run_folder {
 public:
  /// Creates a new folder in `directory` for a run on `system`. The program removes `directory` at
  /// its end if it created it.
  ///
  /// Throws: store_error <- the folder cannot be created.
  run_folder(const std::filesystem::path& directory, const std::string& system);
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

/// Removes the folders of dead drivers in `directory`, of runs on `system`. A folder remains if
/// `end_jobs`, called with its name, returns false.
void remove_orphans(const std::filesystem::path& directory, const std::string& system,
                    const std::function<bool(const std::string& name)>& end_jobs);

}  // namespace tessera::job_arrays
