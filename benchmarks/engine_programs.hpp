// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The programs that are run on one engine and on another. Their tasks take more than 50 ms, as on
/// an engine whose workers are other processes they should.
///
/// With TESSERA_BENCHMARK_DIR on a disk, what is compared is also how fast that takes in gigabytes
/// from round to round; in memory (/dev/shm) it is the engines alone.

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

/// Returns `store(sqrt(a*a + b*b) - 0.5*c)`, of 1 GiB each; makes its data where they are not
/// there.
[[nodiscard]] engine_program expression();

/// Returns `mean(a*b), mean(a*a)` along the first axis, of 1 GiB each; makes its data where they
/// are not there.
[[nodiscard]] engine_program means();

/// An `engine_program` that is made, and its data with it, when it is needed.
struct named_program {
  const char* name;
  engine_program (*make)();
};

inline constexpr std::array engine_programs{
    named_program{"store(sqrt(a*a + b*b) - 0.5*c)", expression},
    named_program{"mean(a*b), mean(a*a) along an axis", means}};

/// Compares `program` on `there` with the same on as many threads; `before` is called
/// before each run there, and not counted.
void against_threads(
    benchmark::State& state, const engine_program& program,
    const std::shared_ptr<tessera::executor>& there, const std::function<void()>& before = [] {});

}  // namespace programs
