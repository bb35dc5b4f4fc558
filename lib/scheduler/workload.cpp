// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/workload.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include "core/api/registry.hpp"

#include <utility>

namespace tessera {

namespace {
constexpr auto factories = &detail::registry<workload_factory>::instance;
}  // namespace

std::vector<task_range> workload::remaining(std::size_t operation) {
  const index_t num_tasks = operations()[operation].num_tasks;
  if (num_tasks == 0) return {};
  return {{0, num_tasks}};
}

std::vector<task_range> workload::needs(std::size_t, task_range, std::size_t source) const {
  return {{0, operations()[source].num_tasks}};
}

void workload::run_in_order(std::size_t operation, task_range tasks, std::size_t worker,
                            index_t& done) {
  for (index_t task = tasks.first; task < tasks.last; ++task, ++done) run(operation, task, worker);
}

workload_recipe workload::recipe() {
  throw value_error(
      "run: this workload has no recipe, so it cannot be run by other processes; use an executor "
      "inside this process, \"serial\" or \"threads\"");
}

bool register_workload(const std::string& kind, workload_factory make) {
  return factories().replace(kind, std::move(make));
}

std::unique_ptr<workload> make_workload(const workload_recipe& recipe) {
  const workload_factory* const make = factories().find(recipe.kind);
  if (make == nullptr) {
    throw value_error("make_workload: this program has no workload of the kind \"" + recipe.kind +
                      "\"; run it with the program that made the recipe");
  }
  return (*make)(recipe.content);
}

}  // namespace tessera
