// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kinds of workload that this program can make from a recipe: how a task that was handed to
/// another process finds its workload.

#include "tessera/scheduler/workload.hpp"

#include <functional>
#include <memory>
#include <string>

namespace tessera {

/// Makes a workload of the content of its recipe.
using workload_factory = std::function<std::unique_ptr<workload>(const std::string& content)>;

/// Makes `make` known as the way to workloads of the kind `kind`, and returns true.
///
/// Call it before `main`, in every process alike: `const bool is_known = register_workload(...);`
/// at namespace scope. Registering a kind again replaces it.
bool register_workload(const std::string& kind, workload_factory make);

/// Returns the workload that `recipe` describes, made to run tasks of a run that another process
/// schedules.
///
/// Throws: value_error <- no workload of that kind is known; the errors of its factory.
[[nodiscard]] std::unique_ptr<workload> make_workload(const workload_recipe& recipe);

}  // namespace tessera
