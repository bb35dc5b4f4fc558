// SPDX-License-Identifier: Apache-2.0
#include "plan/api/saved_plan.hpp"

#include "tessera/core/error.hpp"

#include "json/byte_text.hpp"
#include "json/values.hpp"
#include "plan/costs_json.hpp"
#include "plan/explanation_json.hpp"
#include "plan/plan_file.hpp"
#include "plan/totals_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tessera {

saved_plan summary_of_saved(const std::string& path) {
  const plan_file file = read_plan_file(path);
  try {
    const nlohmann::json contents = fields::parse(file.text);
    const nlohmann::json& summary = contents.at("summary");
    return {.table = fields::byte_text(summary.at("table")),
            .cost = fields::text(summary.at("cost_text")),
            .explanation = parse_explanation(summary.at("explanation")),
            .cost_json = summary.at("cost").dump(),
            .operations = parse_totals(summary.at("operations")),
            .figures = parse_costs(contents.at("spec").at("costs"))};
  } catch (const nlohmann::json::exception& failure) {
    throw value_error(fmt::format("{}: it is no plan ({})", path, failure.what()));
  } catch (const value_error& failure) {
    throw value_error(fmt::format("{}: {}", path, failure.what()));
  }
}

}  // namespace tessera
