// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Programs for comparisons of engines. Their tasks take more than 50 ms, as tasks for workers in
/// other processes should.
///
/// With TESSERA_BENCHMARK_DIR on a disk, the speed of the disk adds to the times and varies from
/// round to round. In memory (/dev/shm) the engines alone are compared.

#include "contest.hpp"

#include <array>
#include <functional>
#include <memory>
#include <tessera/scheduler/executor.hpp>
#include <tessera/task/run_with.hpp>

namespace programs {

/// A program that reads and writes, for any engine.
struct engine_program {
  /// The bytes that one run reads and writes.
  double amount = 0;
  /// Removes the results of the run before.
  std::function<void()> prepare;
  std::function<void(const tessera::run_with&)> run;
};

/// Returns `store(sqrt(a*a + b*b) - 0.5*c)`, of 1 GiB each; makes missing data.
[[nodiscard]] engine_program expression();

/// Returns `mean(a*b), mean(a*a)` along the first axis, of 1 GiB each; makes missing data.
[[nodiscard]] engine_program means();

/// A function that makes an `engine_program` and its data, with a name.
struct named_program {
  const char* name;
  engine_program (*make)();
};

inline constexpr std::array engine_programs{
    named_program{"store(sqrt(a*a + b*b) - 0.5*c)", expression},
    named_program{"mean(a*b), mean(a*a) along an axis", means}};

/// Compares `program` on `there` with the program on as many threads. `before` is called before
/// each run on `there`, and is not timed.
void against_threads(
    benchmark::State& state, const engine_program& program,
    const std::shared_ptr<tessera::executor>& there, const std::function<void()>& before = [] {});

}  // namespace programs
