// SPDX-License-Identifier: Apache-2.0

/// \file
/// The accuracy of a simulation: calibrated by runs on threads, it predicts runs of the program in
/// other chunks.

#include "programs.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;

using cube = ts::array<float, 3>;
using chunk = std::array<ts::index_t, 3>;

/// The most by which the measured time may differ from the predicted one, as a ratio.
constexpr double bound = 1.15;

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

/// Returns the settings of a run on so many threads.
ts::run_with on_threads(std::size_t num_workers) {
  return {.executor = ts::executors::threads(num_workers)};
}

/// Plans the quadratic means of a wind in these chunks, on so many threads.
struct quadratic_means {
  static auto plan(const chunk& chunks, std::size_t num_workers) {
    const cube u = wind(chunks, 1);
    const cube v = wind(chunks, 2);
    return ts::plan(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>),
                    ts::mean(v * v, ts::axis<0>), on_threads(num_workers));
  }
};

/// Plans the extremes of the speed of a wind, along the middle axis.
struct speeds {
  static auto plan(const chunk& chunks, std::size_t num_workers) {
    const cube u = wind(chunks, 1);
    const cube v = wind(chunks, 2);
    const auto speed = ts::sqrt(u * u + v * v);
    return ts::plan(ts::max(speed, ts::axis<1>), ts::min(speed, ts::axis<1>),
                    on_threads(num_workers));
  }
};

/// Each measured run is predicted by the calibrating runs just before it, which have other chunks.
template <class Program>
void predict(benchmark::State& state, const chunk& chunks, std::size_t num_workers) {
  std::vector<decltype(Program::plan(chunks, num_workers))> calibrating_plans;
  for (const chunk& calibrating_chunks : calibrating)
    calibrating_plans.push_back(Program::plan(calibrating_chunks, num_workers));
  auto measured = std::make_shared<ts::calibration>();
  const auto plan = Program::plan(chunks, num_workers);
  contest::run_as_predicted(state, bound,
                            {.program = [&] { plan.execute(); },
                             .prepare =
                                 [&] {
                                   measured = std::make_shared<ts::calibration>();
                                   for (const auto& calibrating_plan : calibrating_plans)
                                     calibrating_plan.execute({.observers = {measured}});
                                 }},
                            [&] {
                              const auto report = ts::simulate(plan, measured->options(num_workers),
                                                               ts::as_planned);
                              return std::chrono::duration<double>(report.elapsed).count();
                            });
}

/// Adds a case for each size of chunks and number of threads.
template <class Program>
void add_cases(const std::string& program) {
  const std::pair<const char*, chunk> all_chunks[] = {
      {"small", small_chunks}, {"medium", medium_chunks}, {"large", large_chunks}};
  for (const auto& [size, chunks] : all_chunks) {
    for (const std::size_t num_workers : {1, 2}) {
      const std::string name = fmt::format("{}, {} chunks, {} worker{}: measured, predicted",
                                           program, size, num_workers, num_workers > 1 ? "s" : "");
      benchmark::RegisterBenchmark(name.c_str(), [chunks = chunks, num_workers](auto& state) {
        predict<Program>(state, chunks, num_workers);
      })->Apply(programs::in_rounds);
    }
  }
}

[[maybe_unused]] const bool are_registered = [] {
  add_cases<quadratic_means>("means");
  add_cases<speeds>("speeds");
  return true;
}();

}  // namespace
