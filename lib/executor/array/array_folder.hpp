// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a job array: the files by which the driver and the elements communicate.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/workload.hpp"

#include "executor/array/array_system.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::job_arrays {

/// Writes a file atomically: a reader sees the old text or the new text.
///
/// Throws: store_error <- it cannot be written.
void write_whole_file(const std::filesystem::path& path, const std::string& text);

/// Returns the text of a file, or nullopt if the file does not exist.
[[nodiscard]] std::optional<std::string> read_whole_file(const std::filesystem::path& path);

/// Returns the text of a file that the driver has written.
///
/// Throws: store_error <- the file does not exist.
[[nodiscard]] std::string must_read(const std::filesystem::path& path);

/// Writes a recipe to a file, and reads it.
///
/// Throws: store_error <- the file cannot be written, or does not exist.
void write_recipe(const std::filesystem::path& path, const workload_recipe& recipe);
[[nodiscard]] workload_recipe read_recipe(const std::filesystem::path& path);

/// Writes the measured memory of a worker to a file, and reads it; nullopt without a file.
///
/// Throws: store_error <- the file cannot be written.
void write_worker_memory(const std::filesystem::path& path, const worker_memory& memory);
[[nodiscard]] std::optional<worker_memory> read_worker_memory(const std::filesystem::path& path);

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
};

/// The progress file of an element: it exists once the element runs, and has its finished tasks.
class progress_file {
 public:
  /// Creates the file with the number `done`.
  progress_file(const std::filesystem::path& path, index_t done);

  void write(index_t done);

 private:
  std::ofstream out_;
};

/// The extension of the output files of elements.
inline constexpr const char* output_extension = ".out";

/// The folder of a job array.
///
/// Files, with <i> for the number of an element:
///   order          written by the driver before it submits the array: the batches
///   <i>.progress   updated by the element: the number of its finished tasks
///   <i>.report     written atomically at the element's end: progress, times, failure
///   <i>.out        standard output and error of the element
///
/// A report has precedence over the state that the system gives. The system may restart an element;
/// the new copy resumes behind the finished tasks of the old copy. If the two copies run
/// concurrently, they write the same bytes.
class array_folder {
 public:
  explicit array_folder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Creates the folder and the order.
  void write_order(const array_order& order) const;
  /// Throws: store_error <- there is no order.
  [[nodiscard]] array_order read_order() const;
  /// Removes the folder; ignores failures.
  void remove() const;

  /// Creates the progress file of an element with `done` finished tasks.
  [[nodiscard]] progress_file begin(std::size_t element, index_t done) const;
  /// Returns the number of finished tasks in an element's progress file, or 0 without a file.
  [[nodiscard]] index_t read_progress(std::size_t element) const;

  void write_report(std::size_t element, const element_report& report) const;
  [[nodiscard]] std::optional<element_report> read_report(std::size_t element) const;

  /// The elements with a progress file, and the elements with a report, in any order.
  struct element_states {
    std::vector<std::size_t> started{};
    std::vector<std::size_t> ended{};
  };
  [[nodiscard]] element_states look() const;

  /// Returns the last lines of the output of an element.
  [[nodiscard]] std::string last_output(std::size_t element) const;

 private:
  [[nodiscard]] std::filesystem::path file(std::size_t element, const char* extension) const;

  std::filesystem::path path_;
};

}  // namespace tessera::job_arrays
