// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a Tessera program is compared with one written by hand, in one run.

#include <benchmark/benchmark.h>
#include <functional>
#include <string>
#include <vector>

namespace contest {

/// One contestant.
struct contestant {
  std::function<void()> program;
  /// Called before each run, and not counted.
  std::function<void()> prepare = [] {};
};

/// The two contestants. Each is run once before it counts; then they take turns.
struct contestants {
  contestant tessera;
  contestant by_hand;
  /// Called once both have run; tells whether the results are the same.
  std::function<bool()> agree;
};

/// What is compared.
struct terms {
  /// What one run works on, and the unit of it: "B" or "FLOP".
  double amount = 0;
  std::string unit = "B";
  /// The most that the ratio of Tessera's time to the other's may be; 0: it is shown, not bounded.
  double bound = 0;
};

/// Rounds of a comparison; the least times of both are compared: whatever else a machine does only
/// adds to them.
inline constexpr int rounds = 9;

/// Runs the contestants in turns and writes the ratio of their least times into `state`.
void run(benchmark::State& state, const terms& about, const contestants& both);

/// Compares the seconds that `program` takes for each of `count` things with a limit.
void run_within(benchmark::State& state, double limit, double count,
                const std::function<void()>& program);

/// Compares the seconds that `one` takes with those that `predict` returns once it has run: their
/// ratio, or its inverse where that is greater, with a bound.
void run_as_predicted(benchmark::State& state, double bound, const contestant& one,
                      const std::function<double()>& predict);

/// Prints each comparison as a line of a table.
class table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace contest
