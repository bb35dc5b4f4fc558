// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compares a Tessera program with a program written by hand, in one run.

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

/// The contestants. Each runs once without being timed; then they take turns.
struct contestants {
  contestant tessera;
  contestant by_hand;
  /// Called after the first run of the pair; tells whether the results agree.
  std::function<bool()> agree;
};

/// The terms of a comparison.
struct terms {
  /// The amount of work of one run, and its unit: "B" or "FLOP".
  double amount = 0;
  std::string unit = "B";
  /// The greatest ratio of Tessera's time to the time by hand; 0 if it is not bounded.
  double bound = 0;
};

/// Rounds of a comparison. The least times are compared, as noise of the machine only adds to
/// times.
inline constexpr int rounds = 9;

/// Runs the contestants in turns and writes the ratio of their least times into `state`.
void run(benchmark::State& state, const terms& about, const contestants& pair);

/// Compares the seconds of `program`, divided by `count`, with a limit.
void run_within(benchmark::State& state, double limit, double count,
                const std::function<void()>& program);

/// Compares the seconds of each run of `entrant` with the prediction that `predict` returns after
/// it: the median of the ratios, or its inverse if that is greater, with a bound. A machine that is
/// slow for some seconds changes both. While the interval of the median is wider than 5 % there are
/// more rounds, up to three times as many.
void run_as_predicted(benchmark::State& state, double bound, const contestant& entrant,
                      const std::function<double()>& predict);

/// Prints each comparison as a line of a table.
class table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace contest
