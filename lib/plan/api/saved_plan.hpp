// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The summary of a plan file, which any program can read: it restores no kernels.

#include "tessera/core/costs.hpp"

#include "plan/api/explanation_texts.hpp"
#include "plan/api/operation_totals.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

class bounded_plan;

/// The summary of a plan that `bounded_plan::save` wrote.
struct saved_plan {
  /// The plan's table, as `ts::plan` prints it.
  std::string table;
  /// The cost on the planned workers, in a line.
  std::string cost;
  /// nullopt for a plan that `save_for_workers` wrote.
  std::optional<explanation_texts> explanation;
  /// The cost as in the JSON of `plan_explanation`.
  std::string cost_json;
  /// In the plan's order.
  std::vector<operation_totals> operations;
  /// The figures that the plan was made with.
  costs figures;
};

/// Returns the summary of the plan in the file `path`.
///
/// Throws: value_error, store_error <- as `bounded_plan::load`, for plans of any program.
[[nodiscard]] saved_plan summary_of_saved(const std::string& path);

/// Writes `plan` as `bounded_plan::save` does, without its explanation.
void save_for_workers(const bounded_plan& plan, const std::string& path);

}  // namespace tessera
