// SPDX-License-Identifier: Apache-2.0
//
// Five programs, one computation after the other, for the comparison of their records.
//
// usage: recorded_programs prepare DIRECTORY
//                                            writes the inputs: DIRECTORY/u, v, a, b
//        recorded_programs run DIRECTORY OUTPUT
//                                            computes DIRECTORY/OUTPUT/..., with intermediate
//                                            arrays in DIRECTORY/work
#include <cstdint>
#include <iostream>
#include <string>
#include <tessera/array/creation.hpp>
#include <tessera/array/from_memory.hpp>
#include <tessera/array/in_out.hpp>
#include <tessera/array/linear_algebra.hpp>
#include <tessera/array/manipulation.hpp>
#include <tessera/array/random.hpp>
#include <tessera/executor/executors.hpp>
#include <tessera/function/elementwise.hpp>
#include <tessera/function/groupby.hpp>
#include <tessera/function/statistical.hpp>
#include <tessera/runtime/runtime.hpp>
#include <vector>

namespace ts = tessera;
using namespace ts::literals;

namespace {

constexpr ts::index_t num_steps = 40;

/// A task has memory for few chunks, so that there are many tasks.
ts::spec spec_in(const std::string& directory) {
  return {.work_dir = directory + "/work", .allowed_memory = 2_MB};
}

void prepare(const std::string& directory) {
  const ts::spec spec = spec_in(directory);
  for (const std::string name : {"u", "v"}) {
    const auto field = ts::random::uniform<double>(
        {num_steps, 64, 128},
        {.chunks = {4, 64, 128}, .spec = spec, .seed = name == "u" ? 1U : 2U});
    ts::store(field, directory + "/" + name);
  }
  for (const std::string name : {"a", "b"}) {
    const auto matrix = ts::random::uniform<double>(
        {256, 256}, {.chunks = {64, 64}, .spec = spec, .seed = name == "a" ? 3U : 4U});
    ts::store(matrix, directory + "/" + name);
  }
}

/// Executes some results by the plan for four workers, so that all engines run the same tasks.
/// Ranks run a plan of their own, as each of them receives the results.
template <class... Results>
void execute(const Results&... results) {
  const auto engine = ts::default_executor();
  const ts::pass_switches passes{.memory_tier = false};
  const ts::run_with four_workers{.executor =
                                      engine->group() ? engine : ts::executors::processes(4)};
  ts::plan(passes, four_workers, results...).execute({.executor = engine});
}

void run(const std::string& directory, const std::string& folder) {
  const ts::spec spec = spec_in(directory);
  const auto u = ts::open<double, 3>(directory + "/u", spec);
  const auto v = ts::open<double, 3>(directory + "/v", spec);
  const auto a = ts::open<double, 2>(directory + "/a", spec);
  const auto b = ts::open<double, 2>(directory + "/b", spec);
  std::vector<std::int64_t> months;
  for (ts::index_t t = 0; t < num_steps; ++t) months.push_back(t / 4 % 4);

  const auto output = [&](const std::string& name) {
    return directory + "/" + folder + "/" + name;
  };
  execute(ts::stored(ts::mean(u * u, ts::axis<0>), output("uu")),
          ts::stored(ts::mean(v * v, ts::axis<0>), output("vv")),
          ts::stored(ts::mean(u * v, ts::axis<0>), output("uv")));
  execute(ts::stored(
      (u - ts::mean(u, ts::axis<0>, ts::keepdims)) / ts::stddev(u, ts::axis<0>, ts::keepdims),
      output("anomaly")));
  execute(ts::stored(ts::rechunk(u, {num_steps, 8, 16}), output("series")));
  execute(ts::stored(ts::matmul(a, b), output("product")));
  execute(ts::stored(ts::groupby_reduce(u, ts::asarray(months), ts::op::mean{}, 4, ts::axis<0>),
                     output("months")));
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime(argc, argv);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "prepare" && argc == 3) {
    prepare(argv[2]);
  } else if (mode == "run" && argc == 4) {
    run(argv[2], argv[3]);
  } else {
    std::cerr << "usage: recorded_programs prepare DIRECTORY | run DIRECTORY OUTPUT\n";
    return 2;
  }
}
