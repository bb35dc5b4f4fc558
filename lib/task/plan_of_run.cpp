// SPDX-License-Identifier: Apache-2.0
#include "task/plan_of_run.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/location_names.hpp"
#include "plan/api/saved_plan.hpp"
#include "store/api/local_copy.hpp"

#include <fmt/format.h>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace tessera {

namespace {

constexpr auto plan_name = "plan";

}  // namespace

void save_plan_of_run(const bounded_plan& plan, const std::string& directory) {
  if (!is_location(directory)) return save_for_workers(plan, name_in(directory, plan_name));
  const detail::local_copy copy;
  save_for_workers(plan, copy.name());
  const std::string contents = copy.read();
  open_store(directory)->write(plan_name, std::as_bytes(std::span(contents)));
}

bounded_plan load_plan_of_run(const std::string& directory) {
  if (!is_location(directory)) return bounded_plan::load(name_in(directory, plan_name));
  auto contents =
      open_store(directory)->read_all(plan_name, std::numeric_limits<std::size_t>::max());
  if (!contents) throw store_error(fmt::format("there is no plan of a run in '{}'", directory));
  // A killed process leaves the file behind: it is created after the contents have been read.
  const detail::local_copy copy;
  copy.write(*std::exchange(contents, std::nullopt));
  // The file stays mapped when its name goes.
  return bounded_plan::load(copy.name());
}

}  // namespace tessera
