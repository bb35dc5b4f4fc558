// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a job array: the messages by which the driver and the elements communicate.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/workload.hpp"

#include "executor/api/message_folder.hpp"
#include "executor/array/array_system.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::job_arrays {

/// Returns the text of a message that the driver has written.
///
/// Throws: store_error <- there is no such message.
[[nodiscard]] std::string must_read(const message_folder& folder, std::string_view key);

/// Writes a recipe as a message, and reads it. The path is that of a message in a directory.
///
/// Throws: store_error <- the message cannot be written, or does not exist.
void write_recipe(const message_folder& folder, std::string_view key,
                  const workload_recipe& recipe);
void write_recipe(const std::filesystem::path& path, const workload_recipe& recipe);
[[nodiscard]] workload_recipe read_recipe(const message_folder& folder, std::string_view key);
[[nodiscard]] workload_recipe read_recipe(const std::filesystem::path& path);

/// Writes the measured memory of a worker as a message, and reads it; nullopt without a message.
///
/// Throws: store_error <- the message cannot be written.
void write_worker_memory(const message_folder& folder, std::string_view key,
                         const worker_memory& memory);
[[nodiscard]] std::optional<worker_memory> read_worker_memory(const message_folder& folder,
                                                              std::string_view key);

/// The batches of an array: element i runs batch i.
struct array_order {
  std::size_t operation = 0;
  bytes task_memory;
  std::size_t num_workers = 1;
  std::vector<task_range> batches{};
};

/// The report of an element at its end.
struct element_report {
  /// The number of tasks that succeeded, from the first of the batch.
  index_t done = 0;
  /// In nanoseconds of the system's clock.
  std::int64_t started = 0;
  std::int64_t ended = 0;
  std::uint64_t peak_memory = 0;
  /// The traffic of its tasks between memory and storage. It is nullopt if the element was
  /// restarted, because the traffic of the tasks before the restart is lost.
  std::optional<traffic> moved{};
  /// The failure of the next task as text; empty without a failure.
  std::string failure{};
  std::string host{};
};

/// The progress of an element: the message exists once the element runs, and has the number of its
/// finished tasks.
class progress_file {
 public:
  explicit progress_file(std::unique_ptr<progress_record> record) : record_(std::move(record)) {}

  void write(index_t done) { record_->write(done); }

 private:
  std::unique_ptr<progress_record> record_;
};

/// The extension of the output files of elements.
inline constexpr const char* output_extension = ".out";

/// The folder of a job array.
///
/// Messages, with <i> for the number of an element:
///   order          written by the driver before it submits the array: the batches
///   <i>.progress   updated by the element: the number of its finished tasks, its host
///   <i>.report     written at the element's end: progress, times, host, failure
///   <i>.out        standard output and error of the element, if its system writes them
///
/// A report has precedence over the state that the system gives. The system may restart an element;
/// the new copy resumes behind the finished tasks of the old copy. If the two copies run
/// concurrently, they write the same bytes.
class array_folder {
 public:
  /// The folder `name` in the folder of a run.
  array_folder(std::shared_ptr<const message_folder> run, std::string name)
      : run_(std::move(run)), name_(std::move(name)) {}
  /// The folder at a location, which may be the URL of a store.
  explicit array_folder(const std::string& location);

  /// Returns the location by which an element opens the folder.
  [[nodiscard]] std::string location() const;
  /// Returns the location as the path of a directory.
  [[nodiscard]] std::filesystem::path path() const { return location(); }
  /// Returns the messages of the run.
  [[nodiscard]] const message_folder& run() const { return *run_; }

  /// Creates the folder and the order.
  void write_order(const array_order& order) const;
  /// Throws: store_error <- there is no order.
  [[nodiscard]] array_order read_order() const;
  /// Removes the folder; ignores failures.
  void remove() const;

  /// Creates the record of the progress of an element with `done` finished tasks.
  [[nodiscard]] progress_file begin(std::size_t element, index_t done) const;
  /// Returns the number of finished tasks that an element has recorded, or 0 without a record.
  [[nodiscard]] index_t read_progress(std::size_t element) const;
  /// Returns the host in the record of progress, or "" without a record.
  [[nodiscard]] std::string read_host(std::size_t element) const;

  void write_report(std::size_t element, const element_report& report) const;
  [[nodiscard]] std::optional<element_report> read_report(std::size_t element) const;

  /// The elements with a record of progress, and the elements with a report, in any order.
  struct element_states {
    std::vector<std::size_t> started{};
    std::vector<std::size_t> ended{};
  };
  [[nodiscard]] element_states look() const;

  /// Returns the last lines of the output of an element.
  [[nodiscard]] std::string last_output(std::size_t element) const;

 private:
  [[nodiscard]] std::string key(std::string_view name) const;
  [[nodiscard]] std::string key(std::size_t element, const char* extension) const;

  std::shared_ptr<const message_folder> run_;
  std::string name_;
};

}  // namespace tessera::job_arrays
