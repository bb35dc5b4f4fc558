// SPDX-License-Identifier: Apache-2.0
#include "engine_programs.hpp"

#include "programs.hpp"

#include <utility>

namespace programs {

namespace ts = tessera;

ts::spec spec_on(std::shared_ptr<ts::executor> engine) {
  ts::spec own = spec();
  own.executor = std::move(engine);
  own.allowed_memory = ts::bytes{400'000'000};  // operands of 64 MiB, decoded and encoded
  return own;
}

engine_program expression() {
  const hand_written::zarr_array files[] = {data::coarse_field(0), data::coarse_field(1),
                                            data::coarse_field(2)};
  const std::string result = data::path_of_result("engine").string();
  const auto run = [=](const ts::spec& spec) {
    const auto a = ts::open<double, 2>(files[0].path.string(), spec);
    const auto b = ts::open<double, 2>(files[1].path.string(), spec);
    const auto c = ts::open<double, 2>(files[2].path.string(), spec);
    ts::store(ts::sqrt(a * a + b * b) - 0.5 * c, result);
  };
  return {.amount = 4.0 * static_cast<double>(files[0].num_bytes()),
          .prepare = data::remove_results,
          .run = run};
}

engine_program means() {
  const hand_written::zarr_array files[] = {data::coarse_field(0), data::coarse_field(1)};
  const auto run = [=](const ts::spec& spec) {
    const auto a = ts::open<double, 2>(files[0].path.string(), spec);
    const auto b = ts::open<double, 2>(files[1].path.string(), spec);
    const auto results = ts::compute(ts::mean(a * b, ts::axis<0>), ts::mean(a * a, ts::axis<0>));
    benchmark::DoNotOptimize(results);
  };
  return {.amount = 2.0 * static_cast<double>(files[0].num_bytes()), .prepare = [] {}, .run = run};
}

void against_threads(benchmark::State& state, const engine_program& program, const ts::spec& there,
                     const std::function<void()>& before) {
  ts::spec here = there;
  here.executor = ts::executors::threads(there.executor->num_workers());
  const auto prepare_there = [&] {
    program.prepare();
    before();
  };
  contest::run(state, {.amount = program.amount, .bound = 1.1},
               {.tessera = {.program = [&] { program.run(there); }, .prepare = prepare_there},
                .by_hand = {.program = [&] { program.run(here); }, .prepare = program.prepare},
                .agree = [] { return true; }});
  data::remove_results();
}

}  // namespace programs
