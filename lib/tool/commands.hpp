// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The commands of the program `tessera` and their options.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::tool {

/// The options of a copy.
struct copy_options {
  std::string from;
  std::string to;
  /// "time=8760,latitude=72", or "8760,72,144"; not set: the chunks stay.
  std::optional<std::string> chunks;
  /// The lengths of shards as in `chunks`, or "none"; not set: the shards stay.
  std::optional<std::string> shards;
  /// A codec's name, its configuration in JSON, or "none"; empty: the compressor stays.
  std::string compressor;
  /// The allowed memory of a task, "2GB"; empty: as in the program's options.
  std::string memory;
  /// The version of the Zarr format, 2 or 3; not set: each node keeps its own.
  std::optional<int> format;
  std::string work_dir;
  std::optional<std::size_t> workers;
  /// Paths, relative to `from`, of arrays and groups that are not copied.
  std::vector<std::string> skipped_paths;
  /// "fill" or "error"; empty: an error if the array has no fill value.
  std::string missing;
  /// "." or "/"; empty: the separator of the metadata.
  std::string separator;
  /// "write" or "omit"; empty: missing chunks stay missing.
  std::string empty_chunks;
  /// "write" or "omit"; empty: as in `from`.
  std::string consolidated;
  bool replaces = false;
  /// Whether only the plan is printed.
  bool is_plan = false;
  /// Whether the copy or its plan is printed as JSON.
  bool is_json = false;
};

/// Copies an array, or a group and the nodes below. Returns the exit code.
int copy(const copy_options& options);

struct inspect_options {
  std::string path;
  /// Whether every chunk is read.
  bool verifies = false;
  /// Whether nodes are printed, and not findings alone.
  bool shows_nodes = true;
  bool is_json = false;
};

/// Prints the contents of a store, a group or an array. Returns the exit code: 1 if a node or a
/// chunk is bad.
int inspect(const inspect_options& options);

struct difference_options {
  std::string first_path;
  std::string second_path;
  /// Elements a, b are the same if |a - b| <= absolute + relative * |b|.
  double relative = 0;
  double absolute = 0;
  bool equates_nan = false;
  /// As in `copy_options`.
  std::string missing;
  bool is_json = false;
};

/// Prints the differences of two arrays or groups. Returns the exit code: 1 if there are any.
int diff(const difference_options& options);

struct statistics_options {
  std::string path;
  /// From 0 to 1.
  std::vector<double> quantiles;
  /// A dimension, or the number of an axis: statistics at each of its indices. Empty: of all
  /// elements.
  std::string by;
  /// As in `copy_options`.
  std::string missing;
  bool is_json = false;
};

/// Prints the statistics of an array, or of each array at and below a group. Returns the exit code.
int stats(const statistics_options& options);

struct plan_options {
  std::string path;
  /// Whether the explanation is printed in place of the table.
  bool explains = false;
  /// The path of a picture; empty: no picture is drawn.
  std::string drawing;
  /// The numbers of workers of simulated runs.
  std::vector<std::size_t> simulated_workers;
  bool is_json = false;
};

/// Prints, explains, draws or simulates a saved plan. Returns the exit code.
int show_plan(const plan_options& options);

struct runs_options {
  /// Empty: the work directory of the program's options.
  std::string work_dir;
  bool removes = false;
  bool is_json = false;
};

/// Prints the unfinished runs in a work directory, and removes them if asked. Returns the exit
/// code.
int runs(const runs_options& options);

struct report_options {
  std::string folder;
  bool is_json = false;
};

/// Writes the files of the records in a folder, or of one record, and prints their histories.
/// Returns the exit code.
int report(const report_options& options);

struct watch_options {
  std::string folder;
  /// Whether the progress is shown once, as it is now.
  bool is_once = false;
  /// Whether each progress is a line of JSON.
  bool is_json = false;
};

/// Shows the progress of the newest record in a folder, or of one record, until its run ends.
/// Returns the exit code: 1 if the run failed or was interrupted.
int watch(const watch_options& options);

struct study_options {
  /// One path or two: folders, or their study.json.
  std::vector<std::string> paths;
  bool is_json = false;
};

/// Prints a study and writes its files again; of two, prints their comparison. Returns the exit
/// code.
int study(const study_options& options);

}  // namespace tessera::tool
