// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "core/api/file_names.hpp"
#include "json/byte_text.hpp"
#include "plan/api/operation_totals.hpp"
#include "plan/api/program_identity.hpp"
#include "plan/api/saved_plan.hpp"
#include "plan/array_json.hpp"
#include "plan/build.hpp"
#include "plan/cost_json.hpp"
#include "plan/costs_json.hpp"
#include "plan/explanation_json.hpp"
#include "plan/graph.hpp"
#include "plan/picture.hpp"
#include "plan/plan_file.hpp"
#include "plan/plan_json.hpp"
#include "plan/totals_json.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <string>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

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
json summary_json(const bounded_plan& plan, const std::optional<explanation_texts>& explanation) {
  json operations = json::array();
  for (const planned_operation& planned : plan.inside().operations) {
    operations.push_back(totals_json(totals_of(planned)));
  }
  return {{"table", fields::of_byte_text(plan.to_string())},
          {"cost_text", fmt::format("{}", fmt::streamed(plan.cost()))},
          {"cost", cost_json(plan.cost())},
          {"explanation", explanation_json(explanation)},
          {"operations", std::move(operations)}};
}

/// Throws value_error if an array lies in the memory of several processes.
void check_in_one_memory(const bounded_plan::implementation& plan, const std::string& path) {
  for (const planned_array& array : plan.arrays) {
    const auto* source = std::get_if<memory_source>(&array.placement);
    if (source == nullptr || source->parts == nullptr) continue;
    throw value_error(fmt::format(
        "{}: the array '{}' lies in the memory of several processes, so that no file of one of "
        "them can hold the plan; store the array first",
        path, array.name));
  }
}

void write_plan(const bounded_plan& saved, const std::string& path,
                const std::optional<explanation_texts>& explanation) {
  saved.check_portable();
  const bounded_plan::implementation& plan = saved.inside();
  check_in_one_memory(plan, path);
  std::size_t num_bytes = 0;
  json contents = plan_json(plan, num_bytes);
  contents["names"] = names_json(plan.arrays);
  const plan_workers& workers = plan.workers;
  spec limits = plan.spec;
  limits.costs = costs_on(limits, workers);
  contents["spec"] = spec_json(limits);
  contents["workers"] = {workers.count,           workers.are_processes,
                         workers.num_receivers,   workers.count_on_all,
                         workers.process.count(), workers.worker_process.count()};
  contents["summary"] = summary_json(saved, explanation);
  contents["executable"] = program_identity();
  contents["program"] = hash_of_asked(plan);
  std::string text;
  try {
    text = contents.dump();
  } catch (const json::exception& failure) {
    throw value_error(
        fmt::format("{}: a name in the plan is not UTF-8 ({})", path, failure.what()));
  }
  write_plan_file(path, text, num_bytes,
                  [&plan](const auto& sink) { write_memory_elements(plan, sink); });
}

}  // namespace

// The search that has led to a plan is known to the program that made it: a loaded plan keeps the
// explanation of its file.
void bounded_plan::save(const std::string& path) const {
  if (const auto& loaded = inside().graph->explanation) return write_plan(*this, path, loaded);
  const plan_explanation explanation = explain();
  write_plan(*this, path,
             explanation_texts{explanation.to_string(), explanation.to_json(), to_svg(inside())});
}

void save_for_workers(const bounded_plan& plan, const std::string& path) {
  write_plan(plan, path, std::nullopt);
}

}  // namespace tessera
