// SPDX-License-Identifier: Apache-2.0

/// \file
/// Compares Tessera's programs with programs written by hand and prints the table of ratios.
///
/// TESSERA_BENCHMARK_DIR holds the data. `--benchmark_filter=<expression>` chooses programs, and
/// `--benchmark_out=<file>` keeps every number.

#include "tessera/runtime/runtime.hpp"

#include "contest.hpp"
#include "data.hpp"

#include <benchmark/benchmark.h>
#include <cstdlib>

int main(int argc, char** argv) {
  const tessera::runtime runtime{argc, argv};
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  contest::table table;
  benchmark::RunSpecifiedBenchmarks(&table);
  data::remove_results();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
