// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Systems that run a driver as a job, which outlives the program that submits it.

#include <filesystem>
#include <optional>
#include <string>

namespace tessera {

/// The name of the role of a program that runs a driver: "driver:<folder>".
inline constexpr const char* driver_role = "driver";

/// An executor that may submit a driver to its system.
class driver_host {
 public:
  driver_host() = default;
  driver_host(const driver_host&) = delete;
  driver_host& operator=(const driver_host&) = delete;
  virtual ~driver_host() = default;

  /// Submits this program, with its arguments, in the role of a driver. `directory` is an absolute
  /// path for files of the job. `location` is the folder of the run: the directory, or the URL of a
  /// store; then nodes need not see the directory, which may go once the job is accepted.
  ///
  /// Returns the job in words, or nullopt if the system does not queue jobs.
  ///
  /// Throws: value_error <- the system refuses the job.
  ///         worker_error <- the system has not answered for too long.
  [[nodiscard]] virtual std::optional<std::string> submit_driver(
      const std::filesystem::path& directory, const std::string& location) = 0;
};

}  // namespace tessera
