// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the benchmarks share: how Tessera runs in them, and how they are registered.

#include "contest.hpp"
#include "data.hpp"
#include "hand_written.hpp"

#include <tessera/tessera.hpp>

namespace programs {

/// Returns what all computations may use: 200 MB a task.
inline const tessera::spec& spec() {
  static const tessera::spec shared{.work_dir = (data::directory() / "work").string(),
                                    .allowed_memory = tessera::bytes{200'000'000}};
  return shared;
}

/// Returns how they are run: on as many threads as the loops have.
inline const tessera::run_with& how() {
  static const tessera::run_with shared{.executor =
                                            tessera::executors::threads(hand_written::num_threads)};
  return shared;
}

/// Sets what all comparisons have in common.
inline void in_rounds(benchmark::internal::Benchmark* one) {
  one->Iterations(contest::rounds)->UseManualTime()->Unit(benchmark::kMillisecond);
}

}  // namespace programs
