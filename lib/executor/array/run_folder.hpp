// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a run.

#include "executor/api/message_folder.hpp"
#include "executor/array/coordinator.hpp"
#include "executor/descriptor.hpp"
#include "store/api/heartbeat.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::job_arrays {

/// The folder of a run. Its name is the name of the run's jobs.
///
/// In a directory, the driver holds a lock on the folder for its lifetime. A folder without a lock
/// belongs to a dead driver, and its jobs are orphans.
///
/// In a store, equal computations share a folder, and its coordinator has a folder in it
/// (coordinator.hpp):
///
///     <directory>/tessera-<system>-<run>/epoch/<n>, alive/<n>
///     <directory>/tessera-<system>-<run>/<name>/...   messages; the name is never used twice
class run_folder {
 public:
  /// Creates a new folder in `directory`, a path or the URL of a store, for a run on `system`. The
  /// program removes a directory at its end if it created it.
  ///
  /// `run` is the name of the computation. Without a name, a run in a store has a folder that no
  /// other program finds.
  ///
  /// Throws: store_error <- the folder cannot be created.
  ///         value_error <- other programs cannot open the store; another program coordinates the
  ///                        run.
  run_folder(const std::string& directory, const std::string& system, std::string_view run = {},
             const coordination_times& times = {});
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;
  /// Removes the folder.
  ~run_folder();

  /// Returns the directory of this host for the files of a system. It is the folder itself, unless
  /// that is in a store.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string name() const { return path_.filename().string(); }
  [[nodiscard]] const std::shared_ptr<message_folder>& messages() const { return messages_; }
  [[nodiscard]] bool is_stored() const { return coordinator_ != nullptr; }
  /// Returns the name of the run's jobs under the coordinator before this one; "" without one.
  [[nodiscard]] std::string predecessor() const;

  /// Throws value_error if another program has taken the run over. `confirm` asks the store.
  void require_ownership() const;
  void confirm_ownership();

 private:
  void lock_directory(const std::string& directory, const std::string& system);
  void coordinate(const std::string& directory, const std::string& system, std::string_view run,
                  const coordination_times& times);
  void cancel_predecessor(const std::string& location) const;

  std::filesystem::path path_;
  descriptor lock_;
  std::shared_ptr<message_folder> messages_;
  std::unique_ptr<coordinator> coordinator_;
  std::optional<detail::heartbeat> renewals_;
};

/// Removes the folders of dead drivers in `directory`, of runs on `system`. A folder remains if
/// `end_jobs`, called with its name, returns false.
void remove_orphans(const std::filesystem::path& directory, const std::string& system,
                    const std::function<bool(const std::string& name)>& end_jobs);

}  // namespace tessera::job_arrays
