// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_files.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "observe/api/text_file.hpp"
#include "observe/study/plot.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw store_error(fmt::format("study: cannot read \"{}\": {}", path, std::strerror(errno)));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

point_result point_of(const json& value) {
  point_result point;
  point.is_weak = value.at("scaling").get<std::string>() == "weak";
  point.is_simulated = value.at("is_simulated").get<bool>();
  point.engine = value.at("engine").get<std::string>();
  point.workers = value.at("workers").get<std::size_t>();
  point.scale = value.at("scale").get<double>();
  point.seconds = value.at("seconds").get<std::vector<double>>();
  point.planning_seconds = value.at("planning_seconds").get<double>();
  point.num_tasks = value.at("tasks").get<std::size_t>();
  point.element_steps = value.at("element_steps").get<double>();
  point.moved = bytes{value.at("bytes_moved").get<std::uint64_t>()};
  point.task_memory = bytes{value.at("task_memory").get<std::uint64_t>()};
  point.modelled_work = value.at("modelled_work_seconds").get<double>();
  point.modelled_wall = value.at("modelled_wall_seconds").get<double>();
  return point;
}

study_results results_of(const json& value) {
  study_results results;
  results.name = value.at("study").get<std::string>();
  results.context = value.at("context").get<std::map<std::string, std::string>>();
  results.notes = value.at("notes").get<std::vector<std::string>>();
  for (const json& point : value.at("points")) results.points.push_back(point_of(point));
  return results;
}

auto key_of(const point_figures& line) {
  const point_result& point = *line.point;
  return std::tuple(point.is_weak, point.engine, point.is_simulated, point.workers, point.scale);
}

/// Tells which of two intervals is the lower one, if they are apart.
std::string verdict_of(const median_interval& first, const median_interval& second) {
  if (second.high < first.low) return "faster";
  if (second.low > first.high) return "slower";
  return "no difference shown";
}

std::string comparison_line(const point_figures& first, const point_figures& second) {
  const median_interval& a = first.seconds;
  const median_interval& b = second.seconds;
  const auto text = [](const median_interval& seconds) {
    return fmt::format("{:.4g} ({:.4g} to {:.4g})", seconds.median, seconds.low, seconds.high);
  };
  const point_result& point = *first.point;
  return fmt::format(
      "{:<7} {:<12} {:>8} {:>8.4g} {:>32} {:>32} {:>26}  {}\n", point.is_weak ? "weak" : "strong",
      point.engine, point.workers, point.scale, text(a), text(b),
      fmt::format("{:.3f} ({:.3f} to {:.3f})", b.median / a.median, b.low / a.high, b.high / a.low),
      verdict_of(a, b));
}

/// Returns the points that both studies have.
std::vector<std::pair<point_figures, point_figures>> common_points(const study_results& first,
                                                                   const study_results& second) {
  std::vector<std::pair<point_figures, point_figures>> pairs;
  const std::vector<point_figures> lines = figures_of(second);
  for (const point_figures& line : figures_of(first)) {
    for (const point_figures& match : lines) {
      if (key_of(match) == key_of(line)) pairs.emplace_back(line, match);
    }
  }
  return pairs;
}

nlohmann::ordered_json interval_json(const median_interval& seconds) {
  return {{"median", seconds.median}, {"low", seconds.low}, {"high", seconds.high}};
}

std::string differences_of_context(const study_results& first, const study_results& second) {
  std::string text;
  for (const auto& [name, fact] : first.context) {
    const auto match = second.context.find(name);
    const std::string opposite = match == second.context.end() ? "not known" : match->second;
    if (fact != opposite) text += fmt::format("{}: {} | {}\n", name, fact, opposite);
  }
  return text;
}

}  // namespace

void write_study(const study_results& results, const std::string& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  write_text_file(folder + "/study.csv", csv_of(results));
  write_text_file(folder + "/study.json", json_of(results));
  write_text_file(folder + "/study.jsonl", extra_p_of(results));
  write_text_file(folder + "/study.md", markdown_of(results));
  for (const study_plot plot :
       {study_plot::time, study_plot::speed_up, study_plot::efficiency, study_plot::memory}) {
    write_text_file(fmt::format("{}/{}.svg", folder, name_of(plot)), svg_of(results, plot));
  }
}

study_results read_study(const std::string& path) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const std::string file = is_folder ? path + "/study.json" : path;
  const std::string text = text_of_file(file);
  try {
    study_results results = results_of(detail::parse_json(text, file));
    for (const point_result& point : results.points) (void)median_of(point.seconds);
    return results;
  } catch (const std::exception& failure) {
    throw value_error(fmt::format("study: \"{}\" is no study: {}", file, failure.what()));
  }
}

std::string comparison_of(const study_results& first, const study_results& second) {
  std::string text =
      fmt::format("{:<7} {:<12} {:>8} {:>8} {:>32} {:>32} {:>26}\n", "scaling", "engine", "workers",
                  "scale", "first, median (s)", "second, median (s)", "second / first");
  for (const auto& [a, b] : common_points(first, second)) text += comparison_line(a, b);
  return text + differences_of_context(first, second);
}

std::string comparison_json_of(const study_results& first, const study_results& second) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [a, b] : common_points(first, second)) {
    list.push_back({{"scaling", a.point->is_weak ? "weak" : "strong"},
                    {"engine", a.point->engine},
                    {"is_simulated", a.point->is_simulated},
                    {"workers", a.point->workers},
                    {"scale", a.point->scale},
                    {"first", interval_json(a.seconds)},
                    {"second", interval_json(b.seconds)},
                    {"verdict", verdict_of(a.seconds, b.seconds)}});
  }
  return list.dump(2) + "\n";
}

}  // namespace tessera
