// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The commands of the program `tessera`, each with what its options say.

#include <cstddef>
#include <optional>
#include <string>

namespace tessera::tool {

/// What is copied, and what becomes other than it was.
struct copy_options {
  std::string from;
  std::string to;
  /// "time=8760,latitude=72", or "8760,72,144"; empty: the chunks stay.
  std::string chunks;
  /// A codec's name, its configuration in JSON, or "none"; empty: the compressor stays.
  std::string compressor;
  /// The allowed memory of a task, "2GB"; empty: that of the program's options.
  std::string memory;
  std::string work_dir;
  std::optional<std::size_t> workers;
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
