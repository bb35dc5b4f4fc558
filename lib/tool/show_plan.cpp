// SPDX-License-Identifier: Apache-2.0
/// \file
/// A saved plan: table, explanation, picture, and the time of simulated runs.
#include "tessera/core/error.hpp"
#include "tessera/executor/simulated.hpp"

#include "json/values.hpp"
#include "plan/api/saved_plan.hpp"
#include "task/api/simulation.hpp"
#include "tool/commands.hpp"
#include "tool/print_json.hpp"

#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::tool {

namespace {

using json = nlohmann::ordered_json;

/// The time of a simulated run.
struct simulated_point {
  std::size_t workers = 1;
  double seconds = 0;
};

std::vector<simulated_point> simulate(const saved_plan& plan,
                                      const std::vector<std::size_t>& counts) {
  std::vector<simulated_point> points;
  for (const std::size_t workers : counts) {
    const auto engine = executors::simulated(simulated_options::of(plan.figures, workers));
    const session_time time = simulated_time(plan.operations, *engine);
    points.push_back({workers, std::chrono::duration<double>(time).count()});
  }
  return points;
}

void draw(const explanation_texts& explanation, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << explanation.picture;
  file.close();
  if (!file) throw store_error(fmt::format("--draw: the file '{}' cannot be written", path));
}

const explanation_texts& explanation_of(const saved_plan& plan, const std::string& path) {
  if (plan.explanation) return *plan.explanation;
  throw value_error(fmt::format(
      "'{}' is the plan of a run, which its workers read: it has no explanation and no picture; "
      "save the plan with ts::plan::save",
      path));
}

void print_plan_json(const saved_plan& plan, const std::vector<simulated_point>& points) {
  json value{{"table", plan.table}, {"cost", fields::parse(plan.cost_json)}};
  value["explanation"] = plan.explanation ? json(fields::parse(plan.explanation->json)) : json();
  value["simulated"] = json::array();
  for (const simulated_point& point : points) {
    value["simulated"].push_back({{"workers", point.workers}, {"seconds", point.seconds}});
  }
  print_json(value);
}

void print_points(const std::vector<simulated_point>& points) {
  if (points.empty()) return;
  std::cout << "\nsimulated, by the plan's costs, with each operation begun when those that it "
               "reads have ended:\n";
  for (const simulated_point& point : points) {
    std::cout << fmt::format("{:>8} worker{}  {:.4g} s\n", point.workers,
                             point.workers == 1 ? " " : "s", point.seconds);
  }
}

}  // namespace

int show_plan(const plan_options& options) {
  const saved_plan plan = summary_of_saved(options.path);
  if (!options.drawing.empty()) draw(explanation_of(plan, options.path), options.drawing);
  const std::vector<simulated_point> points = simulate(plan, options.simulated_workers);
  if (options.is_json) {
    print_plan_json(plan, points);
    return 0;
  }
  if (options.explains) {
    std::cout << explanation_of(plan, options.path).text;
  } else {
    std::cout << plan.table << "\ncost: " << plan.cost << '\n';
  }
  print_points(points);
  return 0;
}

}  // namespace tessera::tool
