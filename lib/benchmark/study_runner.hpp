// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Registers the points of studies as benchmarks, runs them, and collects their results.

#include "tessera/benchmark/scaling_study.hpp"

#include "benchmark/study_results.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace benchmark {
class State;
}

namespace tessera {

/// The studies of a program.
class study_runner {
 public:
  /// Returns the runner of this program.
  static study_runner& instance();

  void add(const scaling_study& study);
  void remove(const scaling_study& study);
  /// Registers all points as benchmarks. Inputs and outputs go to `folder`.
  void register_points(const std::string& folder);
  /// Returns the results of the points that were run.
  [[nodiscard]] std::vector<study_results> results() const;

 private:
  struct measured_point {
    const scaling_study* study = nullptr;
    study_point point;
    point_result result;
  };

  void register_series(const scaling_study& study, const scaling_study::series& series,
                       const std::string& folder);
  static void measure(benchmark::State& state, measured_point& measured);

  std::vector<const scaling_study*> studies_;
  std::deque<measured_point> points_;  ///< benchmarks keep references
};

}  // namespace tessera
