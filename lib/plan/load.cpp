// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "json/byte_text.hpp"
#include "json/fields.hpp"
#include "plan/api/program_identity.hpp"
#include "plan/array_json.hpp"
#include "plan/costs_json.hpp"
#include "plan/explanation_json.hpp"
#include "plan/graph.hpp"
#include "plan/plan_file.hpp"
#include "plan/plan_json.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera {

namespace {

using nlohmann::json;

spec parse_spec(const json& value) {
  spec limits;
  limits.work_dir = fields::byte_text(value.at("work_dir"));
  limits.allowed_memory = bytes{fields::count(value.at("allowed_memory"))};
  limits.reserved_memory = bytes{fields::count(value.at("reserved_memory"))};
  if (const json& size = value.at("host_memory"); !size.is_null()) {
    limits.host_memory = bytes{fields::count(size)};
  }
  limits.intermediate_compressor = fields::text(value.at("intermediate_compressor"));
  limits.costs = parse_costs(value.at("costs"));
  const json& longest = value.at("task_time");
  limits.task_time = costs::seconds{longest.is_null() ? std::numeric_limits<double>::infinity()
                                                      : fields::real(longest)};
  return limits;
}

plan_workers parse_workers(const json& value) {
  constexpr index_t most = std::numeric_limits<int>::max();
  return {static_cast<std::size_t>(fields::integer_in(value.at(0), 0, most)),
          fields::flag(value.at(1)),
          static_cast<std::size_t>(fields::integer_in(value.at(2), 0, most)),
          static_cast<std::size_t>(fields::integer_in(value.at(3), 0, most)),
          bytes{fields::count(value.at(4))},
          bytes{fields::count(value.at(5))}};
}

}  // namespace

bounded_plan bounded_plan::load(const std::string& path) {
  const plan_file file = read_plan_file(path);
  try {
    const json contents = fields::parse(file.text);
    if (fields::text(contents.at("executable")) != program_identity()) {
      throw value_error(
          "it was written by another program, or by another build of this one; write it anew with "
          "this program");
    }
    implementation plan = parse_plan(contents, file.elements, parse_spec(contents.at("spec")));
    parse_names(contents.at("names"), plan.arrays);
    plan.graph->hash_of_asked = fields::text(contents.at("program"));
    plan.graph->explanation = parse_explanation(contents.at("summary").at("explanation"));
    plan.workers = parse_workers(contents.at("workers"));
    return bounded_plan(std::make_shared<const implementation>(std::move(plan)));
  } catch (const json::exception& failure) {
    throw value_error(fmt::format("{}: it is no plan ({})", path, failure.what()));
  } catch (const value_error& failure) {
    throw value_error(fmt::format("{}: {}", path, failure.what()));
  } catch (const shape_error& failure) {
    throw value_error(fmt::format("{}: {}", path, failure.what()));
  }
}

}  // namespace tessera
