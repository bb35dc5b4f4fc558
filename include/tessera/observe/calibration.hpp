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
/// A task takes a time of its own and one for each element that it touches: those that fit best, by
/// least squares of relative errors. They can be told apart where tasks of several sizes were seen,
/// as in runs with different chunks; else only elements count. Caches favour some sizes: see small,
/// middle and large ones. The times of an operation are taken to
/// be log-normal with the quantiles that were seen, so that a few that something else has held up
/// change nothing; the spread is that of the operation which took the longest.
///
/// Workers slow each other down where they share caches and memory: what counts are the runs with
/// the most workers that are not more than those to be predicted, where there are such. Calibrate
/// with as many as there are cores, and with those numbers that are to be predicted.
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

  /// Returns the figures by which tasks took as long as they did, for `spec::costs`: those that fit
  /// best, by least squares of relative errors, none negative. What runs did not tell apart is in
  /// one of them, and the others are as if it cost nothing: see operations with and without
  /// storage, of several sizes, in chunks of several sizes. An element counts one step; of storage
  /// counts what was really moved, or, where the executor does not measure it, what was planned.
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
    /// What so many of them have really moved between memory and storage.
    traffic moved;
    double num_measured = 0;
    /// For each batch, what each of its tasks took in nanoseconds.
    std::vector<double> times;
  };

  /// What the tasks of an operation take: a log-normal distribution.
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
  [[nodiscard]] static estimate estimated(samples seen);
  [[nodiscard]] std::vector<estimate> estimates(std::size_t workers) const;
  [[nodiscard]] static line fit(const std::vector<estimate>& operations);

  /// Operations of all computations; those of the last one begin at `first_`.
  std::vector<samples> operations_;
  std::size_t first_ = 0;
};

}  // namespace tessera
