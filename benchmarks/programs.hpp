// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common parts of the benchmarks: settings of Tessera, and their registration.

#include "contest.hpp"
#include "data.hpp"
#include "hand_written.hpp"

#include <tessera/tessera.hpp>

namespace programs {

/// Returns the limits of all computations: 200 MB a task.
inline const tessera::spec& spec() {
  static const tessera::spec shared{.work_dir = (data::directory() / "work").string(),
                                    .allowed_memory = tessera::bytes{200'000'000}};
  return shared;
}

/// Returns the settings of runs: as many threads as the programs by hand.
inline const tessera::run_with& run_settings() {
  static const tessera::run_with shared{.executor =
                                            tessera::executors::threads(hand_written::num_threads)};
  return shared;
}

/// Applies the common settings of comparisons.
inline void in_rounds(benchmark::internal::Benchmark* comparison) {
  comparison->Iterations(contest::rounds)->UseManualTime()->Unit(benchmark::kMillisecond);
}

}  // namespace programs
