// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The port of the folder of a run: short messages between a driver and its elements.
///
/// Problem: the driver and the elements of a job array share a directory, or nothing but a store
/// such as a bucket. A directory is looked at every 100 ms, and a look costs microseconds. A store
/// charges for each request.
///
/// Idea: a message is a text with a key, "7/12.report". It is written whole: a reader sees the old
/// text or the new text. Each folder says how often it is looked at. Nothing is appended: a record
/// of progress is one number and a host, which replace the previous ones.

#include "tessera/core/index.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::job_arrays {

/// The shortest periods between accesses to a folder.
struct folder_periods {
  /// Between two looks of an element for a cancellation. Tasks may be tiny.
  std::chrono::milliseconds cancellation{100};
  /// Between two records of progress of an element.
  std::chrono::milliseconds progress{0};
  /// Between two lists by the driver.
  std::chrono::milliseconds list{0};

  [[nodiscard]] bool operator==(const folder_periods&) const = default;
};

/// The progress of an element: a message with the number of its finished tasks, and its host.
class progress_record {
 public:
  progress_record() = default;
  progress_record(const progress_record&) = delete;
  progress_record& operator=(const progress_record&) = delete;
  virtual ~progress_record() = default;

  /// Replaces the number. A failure is ignored: the number only saves work after a restart.
  virtual void write(index_t done) = 0;
};

/// The messages of a run. Keys are names joined by "/".
class message_folder {
 public:
  message_folder() = default;
  message_folder(const message_folder&) = delete;
  message_folder& operator=(const message_folder&) = delete;
  virtual ~message_folder() = default;

  /// Returns the location by which an element opens the folder: a path, or the URL of a store.
  [[nodiscard]] virtual const std::string& location() const = 0;
  [[nodiscard]] virtual folder_periods periods() const = 0;

  /// Creates a folder in this one; ignores failures.
  virtual void make_folder(std::string_view folder) const = 0;

  /// Writes a message atomically.
  ///
  /// Throws: store_error <- it cannot be written.
  virtual void put(std::string_view key, const std::string& text) const = 0;

  /// Returns a message, or nullopt if there is none.
  ///
  /// Throws: store_error <- a store fails.
  [[nodiscard]] virtual std::optional<std::string> get(std::string_view key) const = 0;

  /// Returns the last bytes of a message, at most `limit`; "" if there is none.
  [[nodiscard]] virtual std::string get_end(std::string_view key, std::size_t limit) const = 0;

  /// Tells whether a message exists. Returns false if the folder does not answer.
  [[nodiscard]] virtual bool exists(std::string_view key) const = 0;

  /// Returns the names in a folder in this one, in any order.
  [[nodiscard]] virtual std::vector<std::string> names_in(std::string_view folder) const = 0;

  /// Removes a folder in this one; ignores failures.
  virtual void remove_folder(std::string_view folder) const = 0;

  /// Creates a record of progress with the number `done` of an element on `host`.
  [[nodiscard]] virtual std::unique_ptr<progress_record> begin_progress(
      std::string_view key, index_t done, const std::string& host) const = 0;
};

/// Writes a file atomically: a reader sees the old text or the new text.
///
/// Throws: store_error <- it cannot be written.
void write_whole_file(const std::filesystem::path& path, const std::string& text);

/// Returns the text of a file, or nullopt if the file does not exist.
[[nodiscard]] std::optional<std::string> read_whole_file(const std::filesystem::path& path);

/// Returns the folder of messages at a location: in a directory, or in the store of a URL.
///
/// Throws: value_error, store_error <- as `open_store`, for a URL.
[[nodiscard]] std::shared_ptr<message_folder> open_message_folder(const std::string& location);

/// The location of a parent folder, and a name in it.
struct split_location {
  std::string parent;
  std::string name;
};

/// Splits the location of a folder. The options of a URL stay at the end of the parent's.
[[nodiscard]] split_location split_folder(const std::string& location);

}  // namespace tessera::job_arrays
