// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folder of a job array: what driver and elements tell each other.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::slurm {

/// Writes a file such that nobody ever sees a part of it.
///
/// Throws: store_error <- it cannot be written.
void write_whole_file(const std::filesystem::path& path, const std::string& text);

/// Returns a file's text; nothing where it is not there.
[[nodiscard]] std::optional<std::string> read_whole_file(const std::filesystem::path& path);

/// Writes a recipe to a file, and reads it.
///
/// Throws: store_error <- the file cannot be written, or is not there.
void write_recipe(const std::filesystem::path& path, const workload_recipe& recipe);
[[nodiscard]] workload_recipe read_recipe(const std::filesystem::path& path);

/// What the elements of an array run: element i the i-th of the batches.
struct array_order {
  std::size_t operation = 0;
  bytes task_memory;
  std::size_t num_workers = 1;
  std::vector<task_range> batches{};
};

/// What an element says at its end.
struct element_report {
  /// Tasks that ended well, from the batch's first.
  index_t done = 0;
  /// In nanoseconds of the system's clock.
  std::int64_t started = 0;
  std::int64_t ended = 0;
  std::uint64_t peak_memory = 0;
  /// What its tasks have moved between memory and storage; nothing where it was started once more:
  /// nobody knows what those have moved that had ended before.
  std::optional<traffic> moved{};
  /// The failure of the next task as text; empty: none.
  std::string failure{};
};

/// The file that says that an element runs, and how many of its tasks have ended.
class progress_file {
 public:
  /// Makes the file, which says `done`.
  progress_file(const std::filesystem::path& path, index_t done);

  void write(index_t done);

 private:
  std::ofstream out_;
};

/// The names of the files into which elements print end so.
inline constexpr const char* output_extension = ".out";

/// The folder of a job array.
///
/// The driver writes the order before it submits the array. An element says that it runs, and how
/// many of its tasks have ended, in a file that it keeps up to date; its report at the end appears
/// as a whole, and counts, whatever Slurm says of the element. Slurm may start an element once
/// more, which goes on where the first copy has come to; where both run, both write the same.
class array_folder {
 public:
  explicit array_folder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Makes the folder.
  void write_order(const array_order& order) const;
  /// Throws: store_error <- there is no order.
  [[nodiscard]] array_order read_order() const;
  /// Removes the folder, as far as the system lets it.
  void remove() const;

  /// Says that an element runs and has `done` tasks behind it.
  [[nodiscard]] progress_file begin(std::size_t element, index_t done) const;
  /// Returns how many tasks an element has said to have done; zero where it has said nothing.
  [[nodiscard]] index_t read_progress(std::size_t element) const;

  void write_report(std::size_t element, const element_report& report) const;
  [[nodiscard]] std::optional<element_report> read_report(std::size_t element) const;

  /// Returns the elements that have said that they run, and those that have reported, in any order.
  struct element_states {
    std::vector<std::size_t> started{};
    std::vector<std::size_t> ended{};
  };
  [[nodiscard]] element_states look() const;

  /// Returns the end of what an element has printed: a few lines.
  [[nodiscard]] std::string last_words(std::size_t element) const;

 private:
  [[nodiscard]] std::filesystem::path file(std::size_t element, const char* extension) const;

  std::filesystem::path path_;
};

}  // namespace tessera::slurm
