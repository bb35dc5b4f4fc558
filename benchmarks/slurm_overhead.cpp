// SPDX-License-Identifier: Apache-2.0

/// \file
/// The time of a program on Slurm against two threads, with jobs on two processors of this host.
///
/// usage: slurm_overhead FOLDER [MILLIONS]
///
/// Stores the mean over time of sqrt(a*a + b*b) - 0.5*c for random fields of MILLIONS (2,000)
/// million elements, with `slurm:workers=2` and with `threads:2`, and prints both times and their
/// ratio; then the times for hardly any elements: the time that jobs take to start. A program that
/// takes minutes is to stay below 1.1. FOLDER is one that every node sees.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <tessera/executor/slurm.hpp>
#include <tessera/tessera.hpp>

namespace {

namespace ts = tessera;

auto make_plan(const std::string& folder, const std::shared_ptr<ts::executor>& engine,
               ts::index_t num_times) {
  const ts::spec spec{.work_dir = folder + "/work", .allowed_memory = ts::bytes{400'000'000}};
  const ts::run_with settings{.executor = engine, .resume = ts::resume_mode::never};
  const auto field = [&](std::uint64_t seed) {
    return ts::random::normal<double>({num_times, 4000},
                                      {.chunks = {1000, 250}, .spec = spec, .seed = seed});
  };
  const auto a = field(1);
  const auto b = field(2);
  const auto c = field(3);
  const std::string result = folder + "/result.zarr";
  std::filesystem::remove_all(result);
  return ts::plan(ts::stored(ts::mean(ts::sqrt(a * a + b * b) - 0.5 * c, ts::axis<0>), result),
                  settings);
}

void compare(const std::string& folder, ts::index_t num_times) {
  const auto seconds_on = [&](const std::shared_ptr<ts::executor>& engine) {
    const auto plan = make_plan(folder, engine, num_times);
    const auto start = std::chrono::steady_clock::now();
    plan.execute();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ts::slurm_options options;
  options.workers = 2;
  options.directory = folder + "/jobs";
  const auto slurm = ts::executors::slurm(options);
  const double there = seconds_on(slurm);
  const double here = seconds_on(ts::executors::threads(2));
  std::printf(
      "%lld million elements, %zu operations: slurm:workers=2 %.1f s, threads:2 %.1f s, "
      "ratio %.2f\n",
      static_cast<long long>(num_times) * 4000 / 1'000'000,
      make_plan(folder, slurm, num_times).num_operations(), there, here, there / here);
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (argc < 2) {
    std::fprintf(stderr, "usage: slurm_overhead FOLDER [MILLIONS]\n");
    return EXIT_FAILURE;
  }
  const ts::index_t millions = argc > 2 ? std::atoll(argv[2]) : 2'000;
  compare(argv[1], millions * 1'000'000 / 4000);
  compare(argv[1], 1000);
}
