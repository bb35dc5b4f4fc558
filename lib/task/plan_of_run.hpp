// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The plan of a run in the run's directory, for processes that did not make it.

#include "tessera/plan/bounded_plan.hpp"

#include <string>

namespace tessera {

/// Writes the plan into the directory of its run, a path or the location of a store.
///
/// Throws: as `bounded_plan::save`. store_error <- the store fails.
void save_plan_of_run(const bounded_plan& plan, const std::string& directory);

/// Returns the plan in the directory of its run.
///
/// Throws: as `bounded_plan::load`. store_error <- the store fails, or has no plan.
[[nodiscard]] bounded_plan load_plan_of_run(const std::string& directory);

}  // namespace tessera
