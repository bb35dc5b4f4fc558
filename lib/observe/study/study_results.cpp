// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_results.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>

namespace tessera {

namespace {

constexpr double widest_interval = 0.05;
constexpr double least_coverage = 0.95;
constexpr double widest_work = 0.1;

/// Returns half the width of an interval, relative to the median.
double width_of(const median_interval& seconds) {
  return (seconds.high - seconds.low) / (2 * seconds.median);
}

/// Points of one kind are compared: of strong scaling, points of one size.
auto compared_kind(const point_result& point) {
  return std::tuple(point.is_weak, point.engine, point.is_weak ? 0.0 : point.scale);
}

/// Returns the work of a worker at `point` over that at `base`: by the steps of its programs or by
/// bytes, as which differs more.
double work_ratio(const point_result& point, const point_result& base) {
  const double workers = static_cast<double>(point.workers) / static_cast<double>(base.workers);
  double ratio = 1;
  const auto compare = [&](double work, double base_work) {
    if (base_work <= 0) return;
    const double part = work / base_work / workers;
    if (std::fabs(part - 1) > std::fabs(ratio - 1)) ratio = part;
  };
  compare(point.element_steps, base.element_steps);
  compare(static_cast<double>(point.moved.count()), static_cast<double>(base.moved.count()));
  return ratio;
}

/// Returns the point of the least workers of the same problem: real if there is one.
const point_figures& base_of(const std::vector<point_figures>& figures, const point_result& point) {
  const auto is_alike = [&](const point_figures& line) {
    return compared_kind(*line.point) == compared_kind(point);
  };
  return *std::ranges::find_if(figures, is_alike);
}

}  // namespace

std::vector<point_figures> figures_of(const study_results& results) {
  std::vector<point_figures> figures;
  for (const point_result& point : results.points) {
    if (!point.seconds.empty()) {
      figures.push_back({.point = &point, .seconds = median_of(point.seconds)});
    }
  }
  std::ranges::stable_sort(figures, {}, [](const point_figures& line) {
    return std::tuple(compared_kind(*line.point), line.point->workers);
  });
  for (point_figures& line : figures) {
    const point_figures& base = base_of(figures, *line.point);
    const double workers = static_cast<double>(line.point->workers);
    const double base_workers = static_cast<double>(base.point->workers);
    const double ratio = base.seconds.median / line.seconds.median;
    line.efficiency = line.point->is_weak ? ratio : ratio * base_workers / workers;
    line.speed_up = line.efficiency * workers;
  }
  return figures;
}

std::vector<scaling_fit> fits_of(const study_results& results) {
  std::map<std::tuple<bool, std::string, double>, std::vector<scaling_point>> kinds;
  for (const point_result& point : results.points) {
    if (point.is_simulated) continue;
    for (const double seconds : point.seconds) {
      kinds[compared_kind(point)].push_back({static_cast<double>(point.workers), seconds});
    }
  }
  std::vector<scaling_fit> fits;
  for (const auto& [kind, points] : kinds) {
    const auto& [is_weak, engine, scale] = kind;
    const auto add = [&, name = engine](std::optional<scaling_fit> fit) {
      if (!fit) return;
      fit->subject = name;
      fits.push_back(*std::move(fit));
    };
    if (is_weak) {
      add(fit_gustafson(points));
    } else {
      add(fit_amdahl(points));
      add(fit_usl(points));
    }
  }
  return fits;
}

bool is_narrow(const median_interval& seconds) {
  return seconds.coverage >= least_coverage && width_of(seconds) <= widest_interval;
}

std::vector<std::string> predictions_in(const study_results& results) {
  std::vector<std::string> sentences;
  const std::vector<point_figures> figures = figures_of(results);
  for (const point_figures& simulated : figures) {
    for (const point_figures& measured : figures) {
      const point_result& point = *measured.point;
      const bool is_pair = simulated.point->is_simulated && !point.is_simulated &&
                           std::tuple(point.is_weak, point.workers, point.scale) ==
                               std::tuple(simulated.point->is_weak, simulated.point->workers,
                                          simulated.point->scale);
      if (!is_pair) continue;
      const double ratio = simulated.seconds.median / measured.seconds.median;
      sentences.push_back(fmt::format("{} on {} workers: the simulated time differs by {:+.1f} %",
                                      point.engine, point.workers, 100 * (ratio - 1)));
    }
  }
  return sentences;
}

std::vector<std::string> doubts_about(const study_results& results) {
  std::vector<std::string> doubts;
  const std::vector<point_figures> figures = figures_of(results);
  for (const point_figures& line : figures) {
    const point_result& point = *line.point;
    const double width = width_of(line.seconds);
    if (!point.is_simulated && width > widest_interval) {
      doubts.push_back(fmt::format(
          "{} on {} workers: the interval of the median is wider than 5 % (+-{:.0f} %); more "
          "repetitions would narrow it",
          point.engine, point.workers, 100 * width));
    }
    if (!point.is_weak) continue;
    const point_result& base = *base_of(figures, point).point;
    const double ratio = work_ratio(point, base);
    if (std::fabs(ratio - 1) > widest_work) {
      doubts.push_back(fmt::format(
          "weak scaling of {} on {} workers: the work of a worker is {:.2f} of that on {}; give "
          "weak() the function that keeps it constant",
          point.engine, point.workers, ratio, base.workers));
    }
  }
  return doubts;
}

}  // namespace tessera
