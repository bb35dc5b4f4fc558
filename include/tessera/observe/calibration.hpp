// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Learns from a run how long tasks take, so that other runs can be predicted.

#include "tessera/core/costs.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/scheduler/observer.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace tessera {

/// The time of one unit of a task's work, as runs tell it.
struct unit_time {
  /// "task", "element step", "byte of storage" or "request".
  std::string unit;
  costs::seconds time{};
  /// The standard error; infinite if the runs do not tell the unit apart.
  costs::seconds error{};

  /// Tells whether the error is at most half of the time.
  [[nodiscard]] bool is_told_apart() const { return error <= time / 2; }
};

/// Prints "element step: 2.1 ns +- 0.1 ns", or "request: not told apart from other units".
std::ostream& operator<<(std::ostream& out, const unit_time& figure);

/// Learns from runs on threads how long tasks take, for simulations of the same program with other
/// numbers of workers and other chunks.
///
/// A task takes a time for each element step and each request, and a fixed one if these explain the
/// times badly. They are fitted by least squares of relative errors. Runs with different chunks
/// tell them apart; else only elements count. Operations differ from this fit by a factor for each
/// size of chunks, found again by their labels. Caches favour some sizes: measure small, middle and
/// large ones. The times of an operation in all runs are taken to be log-normal with the measured
/// quantiles, so that a few outliers, or one slow run of several, change little.
///
/// Workers that share caches and memory slow each other down, by a part of the time for each other
/// worker. The runs count that have the most workers up to the predicted number, if there are such;
/// the part is fitted to operations that were measured with several numbers. Calibrate with one
/// worker and with as many as there are cores.
///
///     auto seen = std::make_shared<ts::calibration>();
///     ts::plan(x).execute({seen});
///     std::cout << ts::simulate(ts::plan(y), seen->options(100));
///
/// Threads: as `observer`.
class calibration final : public observer {
 public:
  /// Returns `workers` threads on which tasks take as long as they did. Operations with labels that
  /// were not measured take the time of the fit, with the spread of the longest operation.
  ///
  /// Throws: value_error <- no task has ended.
  [[nodiscard]] simulated_options options(std::size_t workers) const;

  /// Returns the figures for `spec::costs` that explain the times of the tasks best: a fit by least
  /// squares of relative errors, none negative. Costs that the runs did not tell apart are in one
  /// figure, and the rest is zero; `unit_times` says which. Storage is no faster than memory.
  /// Measure operations with and without storage, of several sizes, in chunks of several sizes. An
  /// element counts one step. Of storage the measured traffic counts, or the planned one if the
  /// executor does not measure it.
  ///
  /// Throws: value_error <- no task has ended.
  [[nodiscard]] tessera::costs figures(std::size_t workers) const;

  /// Returns the times of the units behind `figures`, with their standard errors.
  ///
  /// Throws: value_error <- no task has ended.
  [[nodiscard]] std::vector<unit_time> unit_times(std::size_t workers) const;

  /// Returns the part of a task's time that each other worker of the host adds to it; 0 if no
  /// operation was measured with several numbers of workers.
  [[nodiscard]] double contention() const;

  void on_computation_begin(const computation_event& event) override;
  void on_tasks_end(const tasks_event& event) override;

 private:
  /// The tasks of an operation in one run.
  struct samples {
    std::string label;
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
    std::string label;
    double element_steps_per_task = 0;
    double bytes_per_task = 0;
    double requests_per_task = 0;
    double num_tasks = 0;
    double mean = 0;
    double sigma = 0;
  };

  /// The time of a task in nanoseconds: of itself, and of each element step and request.
  struct task_model {
    double task = 0;
    double element = 0;
    double request = 0;

    [[nodiscard]] double time_of(const estimate& operation) const {
      return task + element * operation.element_steps_per_task +
             request * operation.requests_per_task;
    }
  };

  [[nodiscard]] std::size_t nearest(std::size_t workers) const;
  [[nodiscard]] static estimate estimated(samples measured);
  [[nodiscard]] std::vector<estimate> estimates(std::size_t workers) const;
  [[nodiscard]] static task_model fit(const std::vector<estimate>& operations);
  [[nodiscard]] static std::vector<operation_slowness> slowness_of(
      const std::vector<estimate>& operations, const task_model& fitted);
  [[nodiscard]] double slowed(double workers) const;

  /// Operations of all computations; those of the last one begin at `first_`.
  std::vector<samples> operations_;
  std::size_t first_ = 0;
};

}  // namespace tessera
