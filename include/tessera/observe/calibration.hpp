// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Learns from a run how long tasks take, so that other runs can be predicted.

#include "tessera/core/costs.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/scheduler/observer.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Learns from runs on threads how long tasks take, for simulations of the same program with other
/// numbers of workers and other chunks.
///
/// A task takes a fixed time and a time for each element that it touches. Both are fitted by least
/// squares of relative errors. They can be told apart if tasks of several sizes were measured, as
/// in runs with different chunks; else only elements count. Caches favour some sizes: measure
/// small, middle and large ones. The times of an operation are taken to be log-normal with the
/// measured quantiles, so that a few outliers change nothing. The spread is that of the operation
/// which took the longest.
///
/// Workers that share caches and memory slow each other down. Hence the runs count that have the
/// most workers up to the predicted number, if there are such. Calibrate with as many as there are
/// cores, and with the numbers that are to be predicted.
///
///     auto seen = std::make_shared<ts::calibration>();
///     ts::plan(x).execute({seen});
///     std::cout << ts::simulate(ts::plan(y), seen->options(100));
///
/// Threads: as `observer`.
class calibration final : public observer {
 public:
  /// Returns `workers` threads on which tasks take as long as they did.
  ///
  /// Throws: value_error <- no task has ended.
  [[nodiscard]] simulated_options options(std::size_t workers) const;

  /// Returns the figures for `spec::costs` that explain the times of the tasks best: a fit by least
  /// squares of relative errors, none negative. Costs that the runs did not tell apart are in one
  /// figure, and the rest is zero. Measure operations with and without storage, of several sizes,
  /// in chunks of several sizes. An element counts one step. Of storage the measured traffic
  /// counts, or the planned one if the executor does not measure it.
  ///
  /// Throws: value_error <- no task has ended.
  [[nodiscard]] tessera::costs figures(std::size_t workers) const;

  void on_computation_begin(const computation_event& event) override;
  void on_tasks_end(const tasks_event& event) override;

 private:
  /// The tasks of an operation in one run.
  struct samples {
    std::size_t num_workers = 0;
    double element_steps_per_task = 0;
    double bytes_per_task = 0;
    double requests_per_task = 0;
    double num_tasks = 0;
    /// The measured traffic of `num_measured` of them between memory and storage.
    traffic moved;
    double num_measured = 0;
    /// For each batch, the time of each of its tasks in nanoseconds.
    std::vector<double> times;
  };

  /// The time of an operation's tasks: a log-normal distribution.
  struct estimate {
    double element_steps_per_task = 0;
    double bytes_per_task = 0;
    double requests_per_task = 0;
    double num_tasks = 0;
    double mean = 0;
    double sigma = 0;
  };

  /// In nanoseconds.
  struct line {
    double task = 0;
    double element = 0;
  };

  [[nodiscard]] std::size_t nearest(std::size_t workers) const;
  [[nodiscard]] static estimate estimated(samples measured);
  [[nodiscard]] std::vector<estimate> estimates(std::size_t workers) const;
  [[nodiscard]] static line fit(const std::vector<estimate>& operations);

  /// Operations of all computations; those of the last one begin at `first_`.
  std::vector<samples> operations_;
  std::size_t first_ = 0;
};

}  // namespace tessera
