// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Registers the points of studies as benchmarks, runs them, and collects their results.

#include "tessera/benchmark/scaling_study.hpp"

#include "observe/api/study_results.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace benchmark {
class State;
}

namespace tessera {

/// The studies of a program.
///
/// Processes that compute together, as ranks of MPI, take the same decisions: the order of
/// repetitions is drawn with a fixed seed, and a point is measured again if one of them asks for
/// it.
class study_runner {
 public:
  /// Returns the runner of this program.
  static study_runner& instance();

  void add(const scaling_study& study);
  void remove(const scaling_study& study);
  /// Makes the points of all studies. Inputs and outputs go to `folder`.
  void make_points(const std::string& folder);
  /// Runs the benchmarks of all points: real ones `repetitions` times; not set: until their
  /// intervals are narrow.
  void run(std::optional<std::size_t> repetitions);
  /// Tells whether this process prints and writes: a follower of a group does not.
  [[nodiscard]] bool leads() const;
  /// Returns the results of the points that were run.
  [[nodiscard]] std::vector<study_results> results(
      const std::map<std::string, std::string>& context) const;

 private:
  struct measured_point {
    const scaling_study* study = nullptr;
    study_point point;
    point_result result;
    /// The text of the error of a program or run; empty: without an error.
    std::string failure = {};
  };

  void make_series(const scaling_study& study, const scaling_study::series& series,
                   const std::string& folder);
  [[nodiscard]] static std::string name_of(const measured_point& measured);
  [[nodiscard]] static std::string failure_text(const measured_point& measured);
  static void register_point(measured_point& measured);
  void register_simulations();
  static void register_round(std::vector<measured_point*> repetitions, unsigned seed);
  [[nodiscard]] std::vector<measured_point*> points_with_wide_intervals();
  [[nodiscard]] static study_plan planned_repetition(measured_point& measured);
  [[nodiscard]] static double seconds_of_repetition(measured_point& measured);
  static void measure(benchmark::State& state, measured_point& measured);

  std::vector<const scaling_study*> studies_;
  std::deque<measured_point> points_;  ///< benchmarks keep references
};

}  // namespace tessera
