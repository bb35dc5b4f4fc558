// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <tessera/observe/statistics.hpp>

namespace contest {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Tells whether the interval of the median of `values` reaches beyond 5 % of the median.
bool is_wide(const std::vector<double>& values) {
  const tessera::median_interval interval = tessera::median_of(values);
  return interval.low < 0.95 * interval.median || interval.high > 1.05 * interval.median;
}

double seconds_of(const std::function<void()>& program) {
  const auto start = std::chrono::steady_clock::now();
  program();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double timed(const contestant& entrant) {
  entrant.prepare();
  return seconds_of(entrant.program);
}

/// Runs `entrant` once and then in rounds, and returns the median of the rounds in seconds.
double median_of_rounds(benchmark::State& state, const contestant& entrant) {
  timed(entrant);
  std::vector<double> times;
  for ([[maybe_unused]] auto _ : state) {
    times.push_back(timed(entrant));
    state.SetIterationTime(times.back());
  }
  return median(times);
}

/// Returns the counter `name` of a run, or 0 if there is none.
double counter(const benchmark::BenchmarkReporter::Run& run, const std::string& name) {
  const auto entry = run.counters.find(name);
  return entry == run.counters.end() ? 0 : entry->second.value;
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string verdict(double value, double bound) {
  if (bound == 0) return "";
  return value <= bound ? "kept" : "EXCEEDED";
}

/// Prints one line; the label is the unit of the amount. A predicted time stands in the column of
/// the program by hand.
void print(const benchmark::BenchmarkReporter::Run& run) {
  const double tessera = counter(run, "tessera");
  const double limit = counter(run, "limit");
  if (limit > 0) {
    fmt::print("{:44}{:>15}{:>15}{:>7}{:>10} {}\n", run.run_name.function_name,
               format_seconds(tessera), "", "", format_seconds(limit), verdict(tessera, limit));
    return;
  }
  const double bound = counter(run, "bound");
  const double predicted = counter(run, "predicted");
  if (predicted > 0) {
    const double ratio = counter(run, "ratio");
    const double off = std::max(ratio, 1 / ratio);
    fmt::print("{:44}{:>15}{:>15}{:>7.2f}{:>10.2f} {}\n", run.run_name.function_name,
               format_seconds(tessera), format_seconds(predicted), off, bound, verdict(off, bound));
    return;
  }
  const double by_hand = counter(run, "by_hand");
  const double ratio = counter(run, "ratio");
  const auto rate = [&](double seconds) {
    const double amount = counter(run, "amount") / seconds;
    if (amount < 1e8) return fmt::format("{:.2f} M {}/s", amount / 1e6, run.report_label);
    return fmt::format("{:.2f} G{}/s", amount / 1e9, run.report_label);
  };
  fmt::print("{:44}{:>15}{:>15}{:>7.2f}{:>10} {}\n", run.run_name.function_name, rate(tessera),
             rate(by_hand), ratio, bound > 0 ? fmt::format("{:.2f}", bound) : "",
             verdict(ratio, bound));
}

}  // namespace

void run(benchmark::State& state, const terms& about, const contestants& pair) try {
  timed(pair.by_hand);
  timed(pair.tessera);
  if (!pair.agree()) return state.SkipWithError("the results differ");
  std::vector<double> tessera;
  std::vector<double> by_hand;
  for ([[maybe_unused]] auto _ : state) {
    // The order changes from round to round, so that neither program always runs on the caches of
    // its rival.
    const bool is_first = tessera.size() % 2 == 0;
    if (is_first) tessera.push_back(timed(pair.tessera));
    by_hand.push_back(timed(pair.by_hand));
    if (!is_first) tessera.push_back(timed(pair.tessera));
    state.SetIterationTime(tessera.back());
  }
  state.SetLabel(about.unit);
  state.counters["amount"] = about.amount;
  const double least = std::ranges::min(tessera);
  const double least_by_hand = std::ranges::min(by_hand);
  state.counters["tessera"] = least;
  state.counters["by_hand"] = least_by_hand;
  state.counters["ratio"] = least / least_by_hand;
  state.counters["bound"] = about.bound;
} catch (const std::exception& e) {
  state.SkipWithError(e.what());
}

void run_within(benchmark::State& state, double limit, double count,
                const std::function<void()>& program) try {
  state.counters["tessera"] = median_of_rounds(state, {program}) / count;
  state.counters["limit"] = limit;
} catch (const std::exception& e) {
  state.SkipWithError(e.what());
}

void run_as_predicted(benchmark::State& state, double bound, const contestant& entrant,
                      const std::function<double()>& predict) try {
  std::vector<double> times;
  std::vector<double> predictions;
  std::vector<double> ratios;
  const auto run_round = [&] {
    times.push_back(timed(entrant));
    predictions.push_back(predict());
    ratios.push_back(times.back() / predictions.back());
  };
  timed(entrant);
  (void)predict();
  for ([[maybe_unused]] auto _ : state) {
    run_round();
    state.SetIterationTime(times.back());
  }
  const std::size_t most_rounds = 3 * ratios.size();
  while (is_wide(ratios) && ratios.size() < most_rounds) run_round();
  state.counters["tessera"] = median(times);
  state.counters["predicted"] = median(predictions);
  state.counters["ratio"] = median(ratios);
  state.counters["bound"] = bound;
} catch (const std::exception& e) {
  state.SkipWithError(e.what());
}

bool table::ReportContext(const Context&) {
  fmt::print("{:44}{:>15}{:>15}{:>7}{:>10}\n", "program", "Tessera", "by hand", "ratio", "bound");
  std::fflush(stdout);
  return true;
}

void table::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    if (run.error_occurred) {
      fmt::print("{:44}{}\n", run.run_name.function_name, run.error_message);
    } else {
      print(run);
    }
    std::fflush(stdout);
  }
}

}  // namespace contest
