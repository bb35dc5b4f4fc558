// SPDX-License-Identifier: Apache-2.0

/// \file
/// The time and memory of plans with very many operations. Ceilings: 1 s for 10^4 operations, 13 s
/// and 2 GB for 10^5. And the time in which their tasks are admitted to the host's memory.

#include "tessera/core/bytes.hpp"
#include "tessera/executor/memory.hpp"

#include "programs.hpp"

#include <malloc.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;

using vector_of_doubles = ts::array<double, 1>;

constexpr ts::index_t length = 1'000'000;  // 8 MB of float64

/// Returns a stored array without chunks.
vector_of_doubles stored_array(const std::shared_ptr<ts::memory_store>& store,
                               const std::string& name) {
  (void)ts::zarr_array::create(
      store, name, {.shape = {length}, .chunks = {length / 4}, .dtype = ts::dtype::float64});
  return ts::open<double, 1>(store, name, programs::spec());
}

vector_of_doubles stored_array() { return stored_array(std::make_shared<ts::memory_store>(), "x"); }

auto chain(int count) {
  const vector_of_doubles y = stored_array();
  vector_of_doubles x = stored_array();
  for (int i = 0; i < count; ++i) x = x * 2 + y;
  return std::vector{x};
}

auto chain_on_a_computed_array(int count) {
  const vector_of_doubles y = ts::cumulative_sum(stored_array());
  vector_of_doubles x = stored_array();
  for (int i = 0; i < count; ++i) x = x * 2 + y;
  return std::vector{x};
}

auto wide_fan(int count) {
  const auto store = std::make_shared<ts::memory_store>();
  std::vector<ts::array<double, 0>> sums;
  for (int i = 0; i < count; ++i) {
    sums.emplace_back(ts::sum(stored_array(store, "x" + std::to_string(i))));
  }
  return sums;
}

auto sums_of_slices(int count) {
  const vector_of_doubles x = stored_array();
  std::vector<ts::array<double, 0>> sums;
  for (int i = 0; i < count; ++i) sums.emplace_back(ts::sum(x(ts::slice(i, i + 1000))));
  return sums;
}

auto sums_beside_each_other(int count) {
  const vector_of_doubles x = stored_array();
  std::vector<ts::array<double, 0>> sums;
  for (int i = 0; i < count; ++i) sums.emplace_back(ts::sum(x + static_cast<double>(i)));
  return sums;
}

auto anomalies(int count) {
  vector_of_doubles x = stored_array();
  for (int i = 0; i < count; ++i) x = x - ts::mean(x);
  return std::vector{x};
}

auto rolled_stencils(int count) {
  vector_of_doubles x = stored_array();
  for (int i = 0; i < count; ++i)
    x = x + ts::roll(x, 1, ts::axis<0>) - ts::roll(x, -1, ts::axis<0>);
  return std::vector{x};
}

auto differences(int count) {
  vector_of_doubles x = stored_array();
  for (int i = 0; i < count; ++i) x = ts::pad(ts::diff(x), {{1, 0}}, ts::boundary::edge);
  return std::vector{x};
}

/// Registers the planning of 10^4 and of 10^5 operations by `make`, `at_once` operations for each
/// result.
template <class Make>
void planning(const std::string& name, int at_once, Make make) {
  const auto add = [&](const char* number, int count, double limit, ts::bytes most) {
    benchmark::RegisterBenchmark(
        ("plan " + name + ", " + number).c_str(),
        [=](benchmark::State& state) {
          const auto results = make(count / at_once);
          // Freed memory would be reused without growth, and not be
          // counted.
          malloc_trim(0);
          ts::reset_peak_memory();
          const ts::bytes before = ts::resident_memory();
          contest::run_within(state, limit, 1, [&] {
            if (ts::plan(results, programs::run_settings()).num_operations() == 0) {
              throw std::runtime_error("the plan is empty");
            }
            const ts::bytes growth = ts::peak_memory() - before;
            if (growth > most) {
              throw std::runtime_error("takes " + ts::format_short(growth));
            }
          });
        })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("10^4 operations", 10'000, 1, ts::bytes{250'000'000});
  add("10^5 operations", 100'000, 13, ts::bytes{2'000'000'000});
}

/// Registers the scheduling of such a plan: tasks are admitted to the host's memory, and end at
/// once. The time of a task does not grow with the number of operations.
void scheduling(const char* number, int count) {
  benchmark::RegisterBenchmark(
      (std::string("run x = x - mean(x) with tasks that do nothing, ") + number).c_str(),
      [=](benchmark::State& state) {
        const auto x = anomalies(count / 2);
        const ts::plan plan(x, programs::run_settings());
        const auto num_tasks = static_cast<double>(plan.num_tasks());
        contest::run_within(state, 10e-6, num_tasks,
                            [&] { (void)ts::simulate(plan, {.workers = 64}, ts::as_planned); });
      })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// Registers the planning of the rechunk of 40 years of hourly maps to series, of an object store.
void planning_a_rechunk() {
  benchmark::RegisterBenchmark("plan a rechunk of 1.5 TB, three axes", [](benchmark::State& state) {
    constexpr ts::index_t hours = 350'640;
    const auto store = std::make_shared<ts::memory_store>();
    (void)ts::zarr_array::create(
        store, "maps",
        {.shape = {hours, 721, 1440}, .chunks = {31, 721, 1440}, .dtype = ts::dtype::float32});
    ts::spec spec{.allowed_memory = ts::bytes{2'500'000'000}, .costs = ts::costs::object_store()};
    spec.costs.workers = 100;
    const auto maps = ts::open<float, 3>(store, "maps", spec);
    contest::run_within(state, 0.5, 1, [&] {
      (void)ts::plan(ts::stored(ts::rechunk(maps, {hours, 10, 10}), store, "series"))
          .num_operations();
    });
  })->Apply(programs::in_rounds);
}

[[maybe_unused]] const bool are_registered = [] {
  planning("x = x * 2 + y", 1, chain);
  planning("x = x * 2 + y, y computed", 1, chain_on_a_computed_array);
  planning("sum(x) of other x", 1, wide_fan);
  planning("sum(x(slice))", 1, sums_of_slices);
  planning("sum(x + i)", 2, sums_beside_each_other);
  planning("x = x - mean(x)", 2, anomalies);
  planning("x = x + roll(x, 1) - roll(x, -1)", 3, rolled_stencils);
  planning("x = pad(diff(x))", 2, differences);
  planning_a_rechunk();
  scheduling("10^4 operations", 10'000);
  scheduling("10^5 operations", 100'000);
  return true;
}();

}  // namespace
