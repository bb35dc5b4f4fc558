// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The measurements of a study, and the figures that follow.

#include "tessera/core/bytes.hpp"
#include "tessera/observe/statistics.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The measurements at one point.
struct point_result {
  bool is_weak = false;
  bool is_simulated = false;
  std::string engine;
  std::size_t workers = 1;
  double scale = 1;
  /// Of each repetition.
  std::vector<double> seconds;
  double planning_seconds = 0;
  /// From the plan: tasks, element steps and bytes of all tasks, and the greatest memory of a task.
  std::size_t num_tasks = 0;
  double element_steps = 0;
  bytes moved{};
  bytes task_memory{};
  /// The cost model's seconds on one worker and on the point's.
  double modelled_work = 0;
  double modelled_wall = 0;
};

/// All points of a study.
struct study_results {
  std::string name;
  /// The circumstances, by their names.
  std::map<std::string, std::string> context;
  std::vector<point_result> points;
  /// Sentences about points that could not be measured.
  std::vector<std::string> notes = {};
};

/// A line of a table: a point, and its figures relative to the point with the least workers of the
/// same kind.
struct point_figures {
  const point_result* point = nullptr;
  median_interval seconds;
  double speed_up = 1;
  double efficiency = 1;
};

/// Returns the points in order of kind and workers.
///
/// Strong: speed-up is base time x base workers / time, on which efficiency is per worker. Weak:
/// efficiency is base time / time.
[[nodiscard]] std::vector<point_figures> figures_of(const study_results& results);

/// Returns the laws that can be fitted to the real points.
[[nodiscard]] std::vector<scaling_fit> fits_of(const study_results& results);

/// Returns whether the interval of a median holds with 95 % and lies within 5 % of it, so that no
/// more repetitions are needed.
[[nodiscard]] bool is_narrow(const median_interval& seconds);

/// The repetitions of a point: at least, as fewer give no interval of 95 %, and at most, if the
/// interval of the median stays wide.
inline constexpr std::size_t least_repetitions = 6;
inline constexpr std::size_t most_repetitions = 30;

/// Returns a sentence for each size and number of workers that was both measured and simulated.
[[nodiscard]] std::vector<std::string> predictions_in(const study_results& results);

/// Returns a sentence for each thing that makes the study doubtful: work per worker of a weak study
/// that is not constant within 10 %, or intervals wider than 5 % of their medians.
[[nodiscard]] std::vector<std::string> doubts_about(const study_results& results);

/// The outputs of a study; each has its context.
[[nodiscard]] std::string table_of(const study_results& results);
[[nodiscard]] std::string markdown_of(const study_results& results);
[[nodiscard]] std::string csv_of(const study_results& results);
[[nodiscard]] std::string json_of(const study_results& results);
/// Lines of JSON that Extra-P reads: parameters, metric and value of each repetition.
[[nodiscard]] std::string extra_p_of(const study_results& results);

}  // namespace tessera
