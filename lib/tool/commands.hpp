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
};

/// Copies an array, or a group and the nodes below. Returns the exit code.
int copy(const copy_options& options);

struct inspect_options {
  std::string path;
  bool verifies = false;
};

/// Prints the contents of a store, a group or an array. Returns the exit code: 1 if a node or a
/// chunk is bad.
int inspect(const inspect_options& options);

/// Writes the files of the records in a folder, or of one record, and prints their histories.
/// Returns the exit code.
int report(const std::string& folder);

/// Shows the progress of the newest record in a folder, or of one record, until its run ends; if
/// `is_once`, as it is now. Returns the exit code: 1 if the run failed or was interrupted.
int watch(const std::string& folder, bool is_once);

/// Prints a study and writes its files again; of two, prints their comparison. Paths are of
/// folders or of their study.json. Returns the exit code.
int study(const std::vector<std::string>& paths);

}  // namespace tessera::tool
