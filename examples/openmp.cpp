// SPDX-License-Identifier: Apache-2.0

/// \file
/// Tessera in a program with OpenMP: tasks run on the threads of the program, and none are added.
///
/// Steps a field by a parallel loop, and stores its mean and variance by rows after each step. The
/// last line prints the number of threads before and after. `openmp --help` prints the usage.

#include "help.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <omp.h>
#include <tessera/executor/on.hpp>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;
using ts::index_t;

namespace {

constexpr index_t rows = 512;
constexpr index_t columns = 256;

void step(std::vector<double>& u) {
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < rows * columns; ++i) {
    const auto cell = static_cast<std::size_t>(i);
    u[cell] = 0.5 * u[cell] + static_cast<double>(i % columns);
  }
}

std::ptrdiff_t num_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

}  // namespace

int main(int argc, char** argv) {
  if (asks_for_help(argc, argv)) {
    std::printf("usage: openmp [STORE]\n\n  STORE  the Zarr store, openmp.zarr\n");
    return 0;
  }
  const std::string store = argc > 1 ? argv[1] : "openmp.zarr";
  const auto engine = ts::executors::on(static_cast<std::size_t>(omp_get_max_threads()),
                                        [](std::size_t n, const auto& body) {
#pragma omp parallel for schedule(static, 1)
                                          for (std::size_t i = 0; i < n; ++i) body(i);
                                        });
  std::vector<double> u(static_cast<std::size_t>(rows * columns), 1.0);
  step(u);
  const std::ptrdiff_t before = num_threads();
  for (int round = 0; round < 3; ++round) {
    const auto field = ts::from_memory<double, 2>(u, {rows, columns}, {.chunks = {64, 64}});
    ts::plan(ts::stored(ts::mean(field, ts::axis<0>), store + "/mean"),
             ts::stored(ts::var(field, ts::axis<0>), store + "/variance"),
             ts::run_with{.executor = engine})
        .execute();
    step(u);
  }
  std::printf("threads: %td before, %td after\n", before, num_threads());
}
