// SPDX-License-Identifier: Apache-2.0
#include "core/api/escaped_text.hpp"
#include "observe/api/study_results.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tessera {

namespace {

using nlohmann::json;

std::string_view scaling_name(const point_result& point) {
  return point.is_weak ? "weak" : "strong";
}

std::string interval_of(const median_interval& seconds) {
  return fmt::format("{:.4g} to {:.4g}", seconds.low, seconds.high);
}

std::string text_of(const scaling_fit& fit) {
  std::string text = fmt::format("{}, {}:", fit.subject, fit.law);
  for (const fitted_parameter& parameter : fit.parameters) {
    text += fmt::format(" {} {:.4g} +- {:.2g},", parameter.name, parameter.value, parameter.error);
  }
  return text + fmt::format(" residual {:.1f} %", 100 * fit.residual);
}

std::string notes_of(const study_results& results, std::string_view bullet) {
  std::string text;
  for (const scaling_fit& fit : fits_of(results))
    text += fmt::format("{}{}\n", bullet, text_of(fit));
  for (const std::string& sentence : predictions_in(results)) {
    text += fmt::format("{}{}\n", bullet, sentence);
  }
  for (const std::string& note : results.notes) text += fmt::format("{}{}\n", bullet, note);
  for (const std::string& doubt : doubts_about(results)) {
    text += fmt::format("{}doubtful: {}\n", bullet, doubt);
  }
  return text;
}

/// Returns a line for each circumstance.
std::string context_text(const study_results& results, std::string_view beginning) {
  std::string text;
  for (const auto& [name, fact] : results.context) {
    std::string line = fmt::format("{}{}: {}", beginning, name, fact);
    std::ranges::replace(line, '\n', ' ');
    text += line + '\n';
  }
  return text;
}

}  // namespace

std::string table_of(const study_results& results) {
  std::string text =
      fmt::format("{}\n{:<7} {:<24} {:>8} {:>8} {:>11} {:>20} {:>9} {:>10} {:>8}\n", results.name,
                  "scaling", "engine", "workers", "scale", "median (s)", "95 % interval (s)",
                  "speed-up", "efficiency", "tasks");
  for (const point_figures& line : figures_of(results)) {
    const point_result& point = *line.point;
    text += fmt::format("{:<7} {:<24} {:>8} {:>8.4g} {:>11.4g} {:>20} {:>9.4g} {:>10.3f} {:>8}\n",
                        scaling_name(point), point.engine, point.workers, point.scale,
                        line.seconds.median, interval_of(line.seconds), line.speed_up,
                        line.efficiency, point.num_tasks);
  }
  return text + notes_of(results, "") + context_text(results, "");
}

std::string markdown_of(const study_results& results) {
  std::string text = fmt::format(
      "# {}\n\n| scaling | engine | workers | scale | median (s) | 95 % interval (s) | repetitions "
      "| "
      "speed-up | efficiency | tasks | memory of a task |\n"
      "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n",
      results.name);
  for (const point_figures& line : figures_of(results)) {
    const point_result& point = *line.point;
    text += fmt::format(
        "| {} | {}{} | {} | {:.4g} | {:.4g} | {} | {} | {:.4g} | {:.3f} | {} | {} |\n",
        scaling_name(point), point.engine, point.is_simulated ? " (simulated)" : "", point.workers,
        point.scale, line.seconds.median, interval_of(line.seconds), point.seconds.size(),
        line.speed_up, line.efficiency, point.num_tasks, format_short(point.task_memory));
  }
  const std::string notes = notes_of(results, "- ");
  if (!notes.empty()) text += "\n" + notes;
  text += "\n| circumstance | |\n| --- | --- |\n";
  for (const auto& [name, fact] : results.context) text += fmt::format("| {} | {} |\n", name, fact);
  return text;
}

std::string csv_of(const study_results& results) {
  std::string text =
      context_text(results, "# ") +
      "study,scaling,engine,is_simulated,workers,scale,repetition,seconds,planning_seconds,tasks,"
      "element_steps,bytes_moved,task_memory,modelled_work_seconds,modelled_wall_seconds\n";
  for (const point_result& point : results.points) {
    for (std::size_t i = 0; i < point.seconds.size(); ++i) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(results.name),
                          scaling_name(point), csv_field(point.engine), point.is_simulated ? 1 : 0,
                          point.workers, point.scale, i, point.seconds[i], point.planning_seconds,
                          point.num_tasks, point.element_steps, point.moved.count(),
                          point.task_memory.count(), point.modelled_work, point.modelled_wall);
    }
  }
  return text;
}

namespace {

json fits_json(const study_results& results) {
  json fits = json::array();
  for (const scaling_fit& fit : fits_of(results)) {
    json parameters = json::object();
    for (const fitted_parameter& parameter : fit.parameters) {
      parameters[parameter.name] = {{"value", parameter.value}, {"error", parameter.error}};
    }
    fits.push_back({{"law", fit.law},
                    {"engine", fit.subject},
                    {"parameters", parameters},
                    {"residual", fit.residual}});
  }
  return fits;
}

}  // namespace

std::string json_of(const study_results& results) {
  json points = json::array();
  for (const point_figures& line : figures_of(results)) {
    const point_result& point = *line.point;
    points.push_back({{"scaling", scaling_name(point)},
                      {"engine", point.engine},
                      {"is_simulated", point.is_simulated},
                      {"workers", point.workers},
                      {"scale", point.scale},
                      {"seconds", point.seconds},
                      {"median_seconds", line.seconds.median},
                      {"interval_seconds", {line.seconds.low, line.seconds.high}},
                      {"interval_coverage", line.seconds.coverage},
                      {"speed_up", line.speed_up},
                      {"efficiency", line.efficiency},
                      {"planning_seconds", point.planning_seconds},
                      {"tasks", point.num_tasks},
                      {"element_steps", point.element_steps},
                      {"bytes_moved", point.moved.count()},
                      {"task_memory", point.task_memory.count()},
                      {"modelled_work_seconds", point.modelled_work},
                      {"modelled_wall_seconds", point.modelled_wall}});
  }
  return json{{"study", results.name},  {"context", results.context},
              {"points", points},       {"fits", fits_json(results)},
              {"notes", results.notes}, {"doubts", doubts_about(results)}}
             .dump(1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

std::string extra_p_of(const study_results& results) {
  std::string text;
  for (const point_result& point : results.points) {
    for (const double seconds : point.seconds) {
      json line{{"params", {{"workers", point.workers}, {"scale", point.scale}}},
                {"callpath", fmt::format("{} ({})", results.name, scaling_name(point))},
                {"metric", point.is_simulated ? "simulated time" : "time"},
                {"value", seconds}};
      if (text.empty()) line["context"] = results.context;
      text += line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    }
  }
  return text;
}

}  // namespace tessera
