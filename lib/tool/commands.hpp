// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The commands of the program `tessera`, each with what its options say.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::tool {

/// What is copied, and what becomes other than it was.
struct copy_options {
  std::string from;
  std::string to;
  /// "time=8760,latitude=72", or "8760,72,144"; not set: the chunks stay.
  std::optional<std::string> chunks;
  /// A codec's name, its configuration in JSON, or "none"; empty: the compressor stays.
  std::string compressor;
  /// The allowed memory of a task, "2GB"; empty: that of the program's options.
  std::string memory;
  std::string work_dir;
  std::optional<std::size_t> workers;
  /// Paths of arrays and groups below `from` that are left out.
  std::vector<std::string> skipped_paths;
  /// "fill" or "error"; empty: an error where no fill value is stated.
  std::string missing;
  /// "." or "/"; empty: as the metadata say.
  std::string separator;
  /// "write" or "omit"; empty: chunks that are missing stay missing.
  std::string empty_chunks;
  /// "write" or "omit"; empty: as in `from`.
  std::string consolidated;
  bool replaces = false;
  /// Whether the plan is printed, and nothing else done.
  bool is_plan = false;
};

/// Copies an array, or a group with all that is below it. Returns the exit code.
int copy(const copy_options& options);

struct inspect_options {
  std::string path;
  bool verifies = false;
};

/// Prints what a store, a group or an array holds. Returns the exit code: 1 where something is bad.
int inspect(const inspect_options& options);

}  // namespace tessera::tool
