// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The output of a simulation: a group of stored arrays that grow by one step at a time.

#include "tessera/array/in_out.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/task/run_with.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A variable of a time series at one step.
template <array_expression X>
struct series_variable {
  std::string name;
  X values;
  /// The names of the axes of `values`; empty: the names that they have.
  std::vector<std::string> dimension_names = {};
};

/// Returns `values` as the variable `name` of a step.
///
/// Example: `ts::variable("u", u, {"y", "x"})`
template <array_expression X>
[[nodiscard]] series_variable<X> variable(std::string name, const X& values,
                                          std::vector<std::string> dimension_names = {}) {
  return {std::move(name), values, std::move(dimension_names)};
}

namespace detail {

/// A variable of a time series without its values.
struct series_array {
  std::string name;
  dtype type{};
  /// The layout of a step.
  array_layout layout;
  std::vector<std::string> dimension_names;
};

}  // namespace detail

/// A group of stored arrays that grow along their first axis, `time`, by one step at a time.
///
/// The array `time` has the times of the steps, in float64. It grows last: a step that it counts is
/// complete. Opening a series drops the incomplete step of a program that was killed.
///
/// With an executor of several processes, as `executors::mpi(comm)`, every function is collective:
/// each process calls it with the same time and the same variables.
///
/// Example:
///
///     ts::time_series out("run.zarr", {.executor = ts::executors::mpi(comm)});
///     out.restart_from(t);
///     const auto u = ts::from_local<double, 3>(comm, elements, shape, offset);
///     std::cout << out.memory(ts::variable("u", u), ts::variable("mean", ts::mean(u)));
///     out.append(t, ts::variable("u", u), ts::variable("mean", ts::mean(u)));
///
/// Threads: as the executor; no two calls at the same time.
class time_series {
 public:
  /// Opens the series at `path`, a directory or "scheme://place", or creates it. Drops
  /// an incomplete step. `settings` are the options of each append.
  ///
  /// Throws: zarr_error <- an array is at `path`, or a run writes to the series. store_error <- it
  ///         cannot be read or written. value_error <- `time` is not an array of one axis of
  ///         float64.
  explicit time_series(std::string path, run_with settings = {});

  /// Returns the times of the complete steps, ascending.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// Returns the number of complete steps.
  [[nodiscard]] std::size_t size() const { return times_.size(); }

  /// Drops the steps after `time`, so that the step at `time`, if there is one, is the last.
  ///
  /// Throws: as the constructor.
  void restart_from(double time);

  /// Appends the variables as they are at `time`.
  ///
  /// An array that is missing is created by the first step, in the chunks of its variable, one step
  /// each; arrays of no axes have 1024 steps in a chunk. An array that is there already, as one of
  /// another compressor that `store` has made with a first extent of 0, keeps its chunks and
  /// codecs.
  /// Memory: `memory` of the same variables.
  /// Throws: value_error <- `time` is not finite, or not after the last step; a name is empty,
  ///         "time", or has a '/'; a variable is new, or one is left out, after the first step.
  ///         shape_error, dtype_error <- a variable has another shape or dtype than before. Else as
  ///         `plan::execute`. After an error the series has the steps of before.
  template <array_expression... Xs>
  void append(double time, const series_variable<Xs>&... variables) {
    begin_step(time);
    write_step(time, targets_of(variables...));
  }

  /// Returns the most memory that all processes of a host hold while `append` stores these
  /// variables: `plan::projected_host_memory` of a step, and room for the steps of before in a
  /// chunk that holds several. It does not grow with the steps. Arrays that are missing are
  /// created, without steps.
  ///
  /// Throws: memory_error <- that is more than the allowed memory. Else as `append`.
  template <array_expression... Xs>
  [[nodiscard]] bytes memory(const series_variable<Xs>&... variables) {
    return memory_of(targets_of(variables...));
  }

 private:
  template <array_expression... Xs>
  [[nodiscard]] std::vector<store_target> targets_of(const series_variable<Xs>&... variables) {
    prepare({detail::series_array{variables.name, dtype_of<typename Xs::value_type>,
                                  variables.values.layout(), variables.dimension_names}...});
    return {target_of(variables)...};
  }
  template <array_expression X>
  [[nodiscard]] store_target target_of(const series_variable<X>& variable) const {
    const auto step = expand_dims(variable.values, axis<0>);
    return detail::stored_at(
        step, destination_of(variable.name, dtype_of<typename X::value_type>, step.layout().shape));
  }

  /// Creates the arrays that are missing. Collective.
  void prepare(const std::vector<detail::series_array>& variables);
  /// Returns the destination of the next step of an array.
  [[nodiscard]] std::shared_ptr<const array_destination> destination_of(
      const std::string& name, dtype type, const index_vector& shape) const;

  void begin_step(double time);
  void write_step(double time, const std::vector<store_target>& targets);
  [[nodiscard]] bytes memory_of(const std::vector<store_target>& targets) const;

  /// Drops the steps from `count` on. Collective.
  void truncate(std::size_t count);

  std::string path_;
  run_with settings_;
  std::vector<double> times_;
  /// The names of the variables that are there.
  std::vector<std::string> names_;
  /// Whether an append has failed, so that arrays may be longer than `time`.
  bool may_be_ragged_ = false;
};

}  // namespace tessera
