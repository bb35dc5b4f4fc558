// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "core/api/file_names.hpp"
#include "json/byte_text.hpp"
#include "plan/api/program_identity.hpp"
#include "plan/array_json.hpp"
#include "plan/build.hpp"
#include "plan/cost_json.hpp"
#include "plan/plan_file.hpp"
#include "plan/plan_json.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace tessera {

namespace {

using nlohmann::json;

json costs_json(const costs& figures) {
  const auto& limit = figures.total_bandwidth;
  return {{"read_bandwidth", figures.read_bandwidth.count()},
          {"write_bandwidth", figures.write_bandwidth.count()},
          {"latency", figures.latency.count()},
          {"requests_in_flight", figures.requests_in_flight},
          {"total_bandwidth", limit ? json(limit->count()) : json()},
          {"memory_bandwidth", figures.memory_bandwidth.count()},
          {"element_step", figures.element_step.count()},
          {"task", figures.task.count()},
          {"workers", figures.workers ? json(*figures.workers) : json()}};
}

json spec_json(const spec& limits) {
  const auto or_null = [](const auto& value, auto text) {
    return value ? json(text(*value)) : json();
  };
  return {{"work_dir", fields::of_byte_text(absolute_name(limits.work_dir))},
          {"allowed_memory", limits.allowed_memory.count()},
          {"reserved_memory", limits.reserved_memory.count()},
          {"host_memory", or_null(limits.host_memory, [](bytes size) { return size.count(); })},
          {"intermediate_compressor", limits.intermediate_compressor},
          {"costs", costs_json(limits.costs)},
          {"task_time",
           std::isfinite(limits.task_time.count()) ? json(limits.task_time.count()) : json()}};
}

/// Returns the part of a plan file that programs read which cannot restore the plan's kernels.
json summary_json(const bounded_plan& plan) {
  return {{"table", fields::of_byte_text(plan.to_string())},
          {"cost_text", fmt::format("{}", fmt::streamed(plan.cost()))},
          {"cost", cost_json(plan.cost())}};
}

}  // namespace

void bounded_plan::save(const std::string& path) const {
  check_portable();
  for (const planned_array& array : implementation_->arrays) {
    const auto* source = std::get_if<memory_source>(&array.placement);
    if (source == nullptr || source->parts == nullptr) continue;
    throw value_error(fmt::format(
        "{}: the array '{}' lies in the memory of several processes, so that no file of one of "
        "them can hold the plan; store the array first",
        path, array.name));
  }
  std::size_t num_bytes = 0;
  json contents = plan_json(*implementation_, num_bytes);
  contents["names"] = names_json(implementation_->arrays);
  const plan_workers& workers = implementation_->workers;
  tessera::spec limits = spec();
  limits.costs = costs_on(limits, workers);
  contents["spec"] = spec_json(limits);
  contents["workers"] = {workers.count,           workers.are_processes,
                         workers.num_receivers,   workers.count_on_all,
                         workers.process.count(), workers.worker_process.count()};
  contents["summary"] = summary_json(*this);
  contents["executable"] = program_identity();
  contents["program"] = hash_of_asked(*implementation_);
  std::string text;
  try {
    text = contents.dump();
  } catch (const json::exception& failure) {
    throw value_error(
        fmt::format("{}: a name in the plan is not UTF-8 ({})", path, failure.what()));
  }
  write_plan_file(path, text, num_bytes,
                  [this](const auto& sink) { write_memory_elements(*implementation_, sink); });
}

}  // namespace tessera
