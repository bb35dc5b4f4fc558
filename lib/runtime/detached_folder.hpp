// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a detached run, in a directory or a store, and the supervisor of its driver.

#include "executor/api/message_folder.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// The names of texts in the folder (runtime/api/detached_run.hpp).
inline constexpr auto job_name = "job";
inline constexpr auto alive_name = "alive";
inline constexpr auto status_name = "status";
inline constexpr auto output_name = "output";
inline constexpr auto stop_name = "stop";
inline constexpr auto exit_name = "exit";
/// The output of the supervisor, also as a job.
inline constexpr auto supervisor_output = "0.out";

/// The periods of accesses to the folder. A store charges for each request.
struct detached_times {
  /// Between two signs of life of the supervisor, which also looks for a wish to stop.
  std::chrono::milliseconds renewal{1'000};
  /// A supervisor without a new sign of life for so long is dead.
  std::chrono::milliseconds silence{30'000};
  /// Between two looks of a program that waits for the end.
  std::chrono::milliseconds look{200};
};

/// The texts of a detached run.
class detached_folder {
 public:
  /// Throws: value_error, store_error <- as `open_store`, for the URL of a store.
  explicit detached_folder(const std::string& location);

  [[nodiscard]] const std::string& location() const { return messages_->location(); }
  [[nodiscard]] const detached_times& times() const { return times_; }
  /// Throws: store_error <- the text cannot be written.
  void put(std::string_view name, const std::string& text) const { messages_->put(name, text); }
  [[nodiscard]] std::optional<std::string> get(std::string_view name) const {
    return messages_->get(name);
  }
  [[nodiscard]] bool exists(std::string_view name) const { return messages_->exists(name); }
  [[nodiscard]] bool is_empty() const { return messages_->names_in("").empty(); }
  /// Returns the last lines of a text.
  [[nodiscard]] std::string last_lines(std::string_view name) const;

 private:
  std::shared_ptr<job_arrays::message_folder> messages_;
  detached_times times_;
};

/// A directory of this host for files of a detached run: the folder of the run, or a new directory
/// if the folder is in a store. No other user can enter the new one; it is removed at the end.
class local_directory {
 public:
  /// Throws: store_error <- the new directory cannot be created.
  explicit local_directory(const std::string& location);
  local_directory(const local_directory&) = delete;
  local_directory& operator=(const local_directory&) = delete;
  ~local_directory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Tells whether the directory is a new one, beside the folder of the run.
  [[nodiscard]] bool is_temporary() const { return is_temporary_; }

 private:
  bool is_temporary_;
  std::filesystem::path path_;
};

/// Starts the supervisor as a process, and returns the process in words.
///
/// Throws: value_error <- the program cannot be started.
[[nodiscard]] std::string start_supervisor(const std::string& location);

/// Returns the directory of the driver's files if this program is a driver with a supervisor; else
/// nothing. Processes that the driver starts are none.
[[nodiscard]] std::filesystem::path take_driver_directory();

}  // namespace tessera
