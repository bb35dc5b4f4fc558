// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/time_series.hpp"

#include "tessera/array/append.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "array/zarr/zarr_destinations.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <string_view>

namespace tessera {

namespace {

constexpr std::string_view time_name = "time";

/// The steps in a chunk of an array that has no axis but time.
constexpr index_t steps_in_chunk = 1024;

std::string path_of(const std::string& series, std::string_view name) {
  return fmt::format("{}/{}", series, name);
}

/// Calls `change` in the process that leads. It begins when all processes have come here, with
/// nothing left to read of the state before, and all wait for its end.
///
/// Throws: in each process, the exception of `change`.
void change_once(const run_with& settings, const std::function<void()>& change) {
  const auto engine = settings.executor ? settings.executor : default_executor();
  process_group* const group = engine->group();
  meet(*engine, nullptr);
  std::exception_ptr failure;
  try {
    if (group == nullptr || group->is_leader()) change();
  } catch (...) {
    failure = std::current_exception();
  }
  meet(*engine, failure);
}

std::vector<double> read_times(const std::string& series) {
  const zarr_array array = zarr_array::open(path_of(series, time_name));
  if (array.rank() != 1 || array.dtype() != dtype::float64) {
    throw value_error(fmt::format(
        "time_series: '{}' has rank {}; requires an array of one axis, of dtype float64",
        array.name(), array.rank()));
  }
  std::vector<double> times(static_cast<std::size_t>(array.shape()[0]));
  chunk_buffers buffers(array);
  static_cast<void>(array.read_region(region::whole(array.shape()),
                                      std::as_writable_bytes(std::span(times)), buffers.decoded(),
                                      buffers.encoded()));
  return times;
}

/// Returns the names of the arrays whose first axis is time, but for the times.
std::vector<std::string> variables_in(const std::string& series) {
  const zarr_group group = zarr_group::open(series);
  std::vector<std::string> names;
  for (const std::string& name : group.arrays()) {
    if (name == time_name) continue;
    const std::vector<std::string> axes = group.array(name).dimension_names();
    if (!axes.empty() && axes.front() == time_name) names.push_back(name);
  }
  return names;
}

/// Drops the steps of an array from `count` on.
void shorten(const std::string& path, index_t count) {
  const zarr_array array = zarr_array::open(path);
  index_vector shape = array.shape();
  if (shape[0] <= count) return;
  shape[0] = count;
  static_cast<void>(array.resize(shape));
}

/// Drops the steps of a series from `count` on. The times go first, so that the steps that they
/// count are complete.
void shorten_series(const std::string& series, index_t count) {
  shorten(path_of(series, time_name), count);
  for (const std::string& name : variables_in(series)) shorten(path_of(series, name), count);
}

void append_time(const std::string& series, double time) {
  const zarr_array array = zarr_array::open(path_of(series, time_name));
  chunk_buffers buffers(array);
  static_cast<void>(
      array.append(0, std::as_bytes(std::span(&time, 1)), buffers.decoded(), buffers.encoded()));
}

/// Returns `first`, followed by the numbers of `rest`.
index_vector behind_first(index_t first, const index_vector& rest) {
  index_vector joined(rest.size() + 1, first);
  std::ranges::copy(rest, joined.begin() + 1);
  return joined;
}

/// Creates the stored array of a variable, without steps.
void create_variable(const std::string& series, const detail::series_array& variable) {
  const array_layout& step = variable.layout;
  std::vector<std::string> names = variable.dimension_names;
  if (names.empty()) names = step.names.list(step.shape.size());
  names.insert(names.begin(), std::string(time_name));
  const index_t num_steps = step.shape.empty() ? steps_in_chunk : 1;
  const array_layout layout{behind_first(0, step.shape), behind_first(num_steps, step.chunks),
                            step.spec};
  const auto to =
      detail::make_destination(locate(path_of(series, variable.name)), variable.type, layout,
                               {.dimension_names = std::move(names), .existing = existing::keep});
  static_cast<void>(as_destination(to)->create(""));
}

void create_times(const std::string& series) {
  const zarr_group group = zarr_group::create(series);
  const std::vector<std::string> arrays = group.arrays();
  if (std::ranges::find(arrays, time_name) != arrays.end()) return;
  create_variable(series, {std::string(time_name), dtype::float64, {}, {}});
}

void require_name(const std::string& name) {
  if (!name.empty() && name != time_name && name.find('/') == std::string::npos) return;
  throw value_error(fmt::format(
      "time_series: \"{}\" is no name of a variable; requires one without '/' that is not \"time\"",
      name));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

time_series::time_series(std::string path, run_with settings)
    : path_(std::move(path)), settings_(std::move(settings)) {
  // A restarted program computes a step anew: nothing of a killed append is continued.
  settings_.resume = resume_mode::never;
  change_once(settings_, [this] {
    create_times(path_);
    shorten_series(path_, static_cast<index_t>(read_times(path_).size()));
  });
  times_ = read_times(path_);
  names_ = variables_in(path_);
}

void time_series::restart_from(double time) {
  const auto end = std::ranges::upper_bound(times_, time);
  const auto count = static_cast<std::size_t>(end - times_.begin());
  if (count < times_.size()) truncate(count);
}

void time_series::truncate(std::size_t count) {
  change_once(settings_, [&] { shorten_series(path_, static_cast<index_t>(count)); });
  times_.resize(count);
  may_be_ragged_ = false;
}

void time_series::prepare(const std::vector<detail::series_array>& variables) {
  std::vector<detail::series_array> missing;
  for (const detail::series_array& variable : variables) {
    require_name(variable.name);
    if (!contains(names_, variable.name)) missing.push_back(variable);
  }
  if (missing.empty()) return;
  if (!times_.empty()) {
    throw value_error(fmt::format("time_series: '{}' has {} steps without the variable \"{}\"",
                                  path_, times_.size(), missing.front().name));
  }
  change_once(settings_, [&] {
    for (const detail::series_array& variable : missing) create_variable(path_, variable);
  });
  for (const detail::series_array& variable : missing) names_.push_back(variable.name);
}

std::shared_ptr<const array_destination> time_series::destination_of(
    const std::string& name, dtype type, const index_vector& shape) const {
  const std::string path = path_of(path_, name);
  const index_vector there = zarr_array::open(path).shape();
  if (there.empty() || there[0] != static_cast<index_t>(times_.size())) {
    throw zarr_error(fmt::format("time_series: '{}' has shape {}, and there are {} steps", path,
                                 format_shape(there), times_.size()));
  }
  return detail::destination_behind(path, type, shape, 0);
}

void time_series::begin_step(double time) {
  if (!std::isfinite(time)) {
    throw value_error(fmt::format("time_series: the time of a step is {}, not finite", time));
  }
  if (!times_.empty() && time <= times_.back()) {
    throw value_error(
        fmt::format("time_series: the step at {} is not after the last one, at {}; restart_from(t) "
                    "drops the steps after t",
                    time, times_.back()));
  }
  if (may_be_ragged_) truncate(times_.size());
}

void time_series::write_step(double time, const std::vector<store_target>& targets) {
  if (targets.size() != names_.size()) {
    throw value_error(fmt::format("time_series: {} variables are given; '{}' has {}: {}",
                                  targets.size(), path_, names_.size(), fmt::join(names_, ", ")));
  }
  may_be_ragged_ = true;
  if (!targets.empty()) {
    detail::plan_requests requests;
    for (const store_target& target : targets) requests.add(target.output(), target.layout());
    detail::execute(*requests.plan({}, &settings_), settings_);
  }
  change_once(settings_, [&] { append_time(path_, time); });
  times_.push_back(time);
  may_be_ragged_ = false;
}

bytes time_series::memory_of(const std::vector<store_target>& targets) const {
  detail::plan_requests requests;
  // A step that goes into a chunk of several is written with the steps of before. The plan reads
  // and joins these: no more than two chunks in and two out.
  bytes steps_before{};
  for (const store_target& target : targets) {
    requests.add(target.output(), target.layout());
    const array_destination& to = *target.output().destination;
    if (detail::chunks_of(to)[0] > 1) steps_before += bytes{4 * to.write_cost().decoded};
  }
  return requests.plan({}, &settings_)->bounded.bound().total() + steps_before;
}

}  // namespace tessera
