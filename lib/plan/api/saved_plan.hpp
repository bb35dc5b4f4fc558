// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The summary of a plan file, which any program can read: it restores no kernels.

#include <string>

namespace tessera {

/// The summary of a plan that `bounded_plan::save` wrote.
struct saved_plan {
  /// The plan's table, as `ts::plan` prints it.
  std::string table;
  /// The cost on the planned workers, in a line.
  std::string cost;
  /// An object: `table`, and `cost` as in the JSON of `plan_explanation`.
  std::string json;
};

/// Returns the summary of the plan in the file `path`.
///
/// Throws: value_error, store_error <- as `bounded_plan::load`, for plans of any program.
[[nodiscard]] saved_plan summary_of_saved(const std::string& path);

}  // namespace tessera
