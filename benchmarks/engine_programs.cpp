// SPDX-License-Identifier: Apache-2.0
#include "engine_programs.hpp"

#include "programs.hpp"

namespace programs {

namespace ts = tessera;

engine_program expression() {
  const hand_written::zarr_array files[] = {data::field(0), data::field(1), data::field(2)};
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
  const hand_written::zarr_array u_file = data::wind("u");
  const hand_written::zarr_array v_file = data::wind("v");
  const auto run = [=](const ts::spec& spec) {
    const auto u = ts::open<float, 3>(u_file.path.string(), spec);
    const auto v = ts::open<float, 3>(v_file.path.string(), spec);
    const auto results = ts::compute(ts::mean(u * v, ts::axis<0>), ts::mean(u * u, ts::axis<0>));
    benchmark::DoNotOptimize(results);
  };
  return {.amount = static_cast<double>(u_file.num_bytes() + v_file.num_bytes()),
          .prepare = [] {},
          .run = run};
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
