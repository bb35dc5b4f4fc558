// SPDX-License-Identifier: Apache-2.0

/// \file
/// The accuracy of a simulation: calibrated by runs on threads, it predicts runs of the program in
/// other chunks.

#include "programs.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;

using cube = ts::array<float, 3>;
using chunk = std::array<ts::index_t, 3>;

/// The most by which the measured time may differ from the predicted one, as a ratio.
constexpr double bound = 1.2;

/// The chunks of the calibrating runs, from 200 kB to 3 MB.
constexpr chunk calibrating[] = {{6, 64, 128}, {12, 128, 128}, {12, 256, 256}};

/// The chunks of the predicted runs.
constexpr chunk small_chunks{6, 128, 128};
constexpr chunk medium_chunks{12, 256, 128};
constexpr chunk large_chunks{24, 128, 256};

/// Returns a component of a wind of 200 MB in memory, in chunks of their own size.
cube wind(const chunk& chunks, std::uint64_t seed) {
  static std::map<std::pair<std::uint64_t, chunk>, std::shared_ptr<ts::memory_store>> stores;
  auto& store = stores[{seed, chunks}];
  if (store == nullptr) {
    store = std::make_shared<ts::memory_store>();
    ts::store(
        ts::random::normal<float>(
            {48, 1024, 1024},
            {.chunks = {chunks[0], chunks[1], chunks[2]}, .spec = programs::spec(), .seed = seed}),
        store, "x", programs::run_settings());
  }
  return ts::open<float, 3>(store, "x", programs::spec());
}

/// Returns the plan of the quadratic means of a wind in these chunks, on so many threads.
auto plan_of(const chunk& chunks, std::size_t num_workers) {
  const cube u = wind(chunks, 1);
  const cube v = wind(chunks, 2);
  return ts::plan(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                  ts::mean(v * v, ts::axis<0>),
                  ts::run_with{.executor = ts::executors::threads(num_workers)});
}

/// The measured run takes turns with the calibrating runs, which have other chunks.
void quadratic_means(benchmark::State& state, const chunk& chunks, std::size_t num_workers) {
  std::vector<decltype(plan_of(chunks, num_workers))> calibrating_plans;
  for (const chunk& calibrating_chunks : calibrating)
    calibrating_plans.push_back(plan_of(calibrating_chunks, num_workers));
  const auto measured = std::make_shared<ts::calibration>();
  const auto plan = plan_of(chunks, num_workers);
  contest::run_as_predicted(state, bound,
                            {.program = [&] { plan.execute(); },
                             .prepare =
                                 [&] {
                                   for (const auto& calibrating_plan : calibrating_plans)
                                     calibrating_plan.execute({.observers = {measured}});
                                 }},
                            [&] {
                              const auto report = ts::simulate(plan, measured->options(num_workers),
                                                               ts::as_planned);
                              return std::chrono::duration<double>(report.elapsed).count();
                            });
}
BENCHMARK_CAPTURE(quadratic_means, small_on_1, small_chunks, 1)
    ->Name("1 worker, small chunks: measured, predicted")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(quadratic_means, small_on_2, small_chunks, 2)
    ->Name("2 workers, small chunks: measured, predicted")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(quadratic_means, medium_on_1, medium_chunks, 1)
    ->Name("1 worker, medium chunks: measured, predicted")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(quadratic_means, medium_on_2, medium_chunks, 2)
    ->Name("2 workers, medium chunks: measured, predicted")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(quadratic_means, large_on_1, large_chunks, 1)
    ->Name("1 worker, large chunks: measured, predicted")
    ->Apply(programs::in_rounds);
BENCHMARK_CAPTURE(quadratic_means, large_on_2, large_chunks, 2)
    ->Name("2 workers, large chunks: measured, predicted")
    ->Apply(programs::in_rounds);

}  // namespace
