// SPDX-License-Identifier: Apache-2.0
#include "engine_programs.hpp"

#include "programs.hpp"

#include <utility>

namespace programs {

namespace ts = tessera;

namespace {

ts::spec large_spec() {
  ts::spec limits = spec();
  limits.allowed_memory = ts::bytes{400'000'000};  // operands of 64 MiB, decoded and encoded
  return limits;
}

}  // namespace

engine_program expression() {
  const hand_written::zarr_array files[] = {data::coarse_field(0), data::coarse_field(1),
                                            data::coarse_field(2)};
  const std::string result = data::path_of_result("engine").string();
  const auto run = [=](const ts::run_with& settings) {
    const ts::spec spec = large_spec();
    const auto a = ts::open<double, 2>(files[0].path.string(), spec);
    const auto b = ts::open<double, 2>(files[1].path.string(), spec);
    const auto c = ts::open<double, 2>(files[2].path.string(), spec);
    ts::store(ts::sqrt(a * a + b * b) - 0.5 * c, result, settings);
  };
  return {.amount = 4.0 * static_cast<double>(files[0].num_bytes()),
          .prepare = data::remove_results,
          .run = run};
}

engine_program means() {
  const hand_written::zarr_array files[] = {data::coarse_field(0), data::coarse_field(1)};
  const auto run = [=](const ts::run_with& settings) {
    const ts::spec spec = large_spec();
    const auto a = ts::open<double, 2>(files[0].path.string(), spec);
    const auto b = ts::open<double, 2>(files[1].path.string(), spec);
    const auto results =
        ts::compute(ts::mean(a * b, ts::axis<0>), ts::mean(a * a, ts::axis<0>), settings);
    benchmark::DoNotOptimize(results);
  };
  return {.amount = 2.0 * static_cast<double>(files[0].num_bytes()), .prepare = [] {}, .run = run};
}

void against_threads(benchmark::State& state, const engine_program& program,
                     const std::shared_ptr<ts::executor>& there,
                     const std::function<void()>& before) {
  const auto here = ts::executors::threads(there->num_workers());
  const auto prepare_there = [&] {
    program.prepare();
    before();
  };
  contest::run(
      state, {.amount = program.amount, .bound = 1.1},
      {.tessera = {.program = [&] { program.run({.executor = there}); }, .prepare = prepare_there},
       .by_hand = {.program = [&] { program.run({.executor = here}); }, .prepare = program.prepare},
       .agree = [] { return true; }});
  data::remove_results();
}

}  // namespace programs
