// SPDX-License-Identifier: Apache-2.0
#include "benchmark/study_runner.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/observe/simulation.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/process_group.hpp"

#include "observe/api/study_context.hpp"
#include "observe/api/study_files.hpp"

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <cctype>
#include <charconv>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

extern "C" {
/// Nothing registers itself: studies are known to their program.
extern const bool tessera_benchmark_is_registered;
const bool tessera_benchmark_is_registered = true;
}

namespace tessera {

namespace {

using clock = std::chrono::steady_clock;

/// The repetitions of a further round.
constexpr std::size_t repetitions_of_a_round = 4;

/// Keeps progress off the screen while a run is measured.
class silent_observer final : public observer {};

/// Prints nothing.
class null_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Returns the name of an engine with `workers` workers.
std::string with_workers(const std::string& engine, std::size_t workers) {
  constexpr std::string_view placeholder = "{workers}";
  const std::size_t at = engine.find(placeholder);
  if (at == std::string::npos) return fmt::format("{}:{}", engine, workers);
  std::string name = engine;
  return name.replace(at, placeholder.size(), fmt::format("{}", workers));
}

/// Returns the name of an engine without its options.
std::string kind_of(const std::string& engine) { return engine.substr(0, engine.find(':')); }

bool is_leader(executor& engine) {
  const process_group* const group = engine.group();
  return group == nullptr || group->is_leader();
}

/// Returns whether `wish` is true in a process of the engine's group.
bool is_wished_by_any(executor& engine, bool wish) {
  try {
    meet(engine, wish ? std::make_exception_ptr(error("study: measure again")) : nullptr);
    return false;
  } catch (const error&) {
    return true;
  }
}

/// Empties a folder once for all processes of the engine.
void empty_folder(const std::string& folder, executor& engine) {
  std::error_code ignored;
  if (is_leader(engine)) {
    std::filesystem::remove_all(folder, ignored);
    std::filesystem::create_directories(folder, ignored);
  }
  meet(engine, nullptr);
}

void note_plan(point_result& result, const study_plan& planned) {
  const plan_cost cost = planned.bounded().cost();
  result.num_tasks = static_cast<std::size_t>(cost.num_tasks);
  result.element_steps = cost.element_steps;
  result.moved = cost.bytes_read + cost.bytes_written;
  result.task_memory = planned.bounded().projected_memory();
  result.modelled_work = cost.work.count();
  result.modelled_wall = cost.wall.count();
}

/// Returns the seconds of a run on the engine of `settings`.
double seconds_of_run(const study_plan& planned, run_with settings) {
  settings.observers = {std::make_shared<silent_observer>()};
  settings.report = std::string{};  // its files would be part of the time
  const clock::time_point start = clock::now();
  planned.execute(settings);
  return seconds_since(start);
}

double seconds_of_simulation(const study_plan& planned, const simulated_options& options) {
  return std::chrono::duration<double>(simulate(planned.bounded(), options).elapsed).count();
}

/// Sets a flag of Google Benchmark.
void set_flag(std::string flag) {
  std::string program = "study";
  std::array<char*, 3> words{program.data(), flag.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, words.data());
}

}  // namespace

study_runner& study_runner::instance() {
  static study_runner runner;
  return runner;
}

void study_runner::add(const scaling_study& study) { studies_.push_back(&study); }

void study_runner::remove(const scaling_study& study) { std::erase(studies_, &study); }

void study_runner::make_points(const std::string& folder) {
  points_.clear();
  for (const scaling_study* study : studies_) {
    for (const scaling_study::series& series : study->series_) make_series(*study, series, folder);
  }
}

void study_runner::make_series(const scaling_study& study, const scaling_study::series& series,
                               const std::string& folder) {
  for (const std::size_t workers : series.workers) {
    measured_point& measured = points_.emplace_back();
    measured.study = &study;
    measured.point.workers_ = workers;
    measured.point.scale_ = series.scale_of(static_cast<double>(workers));
    measured.point.is_simulated_ = series.is_simulated;
    measured.point.folder_ = folder;
    measured.point.figures_ = series.figures;
    measured.point.engine_ =
        series.is_simulated ? executors::simulated(simulated_options::of(*series.figures, workers))
                            : make_executor(with_workers(series.engine, workers));
    measured.result.is_weak = series.is_weak;
    measured.result.is_simulated = series.is_simulated;
    measured.result.engine = series.is_simulated ? "simulated" : kind_of(series.engine);
    measured.result.workers = workers;
    measured.result.scale = measured.point.scale_;
  }
}

bool study_runner::leads() const {
  return std::ranges::all_of(
      points_, [](const measured_point& measured) { return is_leader(*measured.point.engine_); });
}

std::string study_runner::name_of(const measured_point& measured) {
  const point_result& result = measured.result;
  return fmt::format("{}/{}/{}/workers:{}", measured.study->name(),
                     result.is_weak ? "weak" : "strong", result.engine, result.workers);
}

std::string study_runner::failure_text(const measured_point& measured) {
  return fmt::format("{} could not be measured: {}", name_of(measured), measured.failure);
}

void study_runner::register_point(measured_point& measured) {
  const std::string name = name_of(measured);
  benchmark::RegisterBenchmark(name.c_str(),
                               [&measured](benchmark::State& state) { measure(state, measured); })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(1)
      ->Unit(benchmark::kSecond);
}

/// Registers the benchmarks of points, each as often as it is named, in random order.
void study_runner::register_round(std::vector<measured_point*> repetitions, unsigned seed) {
  std::mt19937_64 draw(seed);
  for (std::size_t i = repetitions.size(); i > 1; --i) {
    std::swap(repetitions[i - 1], repetitions[draw() % i]);
  }
  benchmark::ClearRegisteredBenchmarks();
  for (measured_point* measured : repetitions) register_point(*measured);
}

/// Each run of a simulation takes the same time: it is run once, by the leader.
void study_runner::register_simulations() {
  if (!leads()) return;
  for (measured_point& measured : points_) {
    if (measured.result.is_simulated) register_point(measured);
  }
}

std::vector<study_runner::measured_point*> study_runner::points_with_wide_intervals() {
  std::vector<measured_point*> wide;
  for (measured_point& measured : points_) {
    const std::vector<double>& seconds = measured.result.seconds;
    const bool is_done = measured.result.is_simulated || !measured.failure.empty();
    if (is_done || seconds.empty() || seconds.size() >= most_repetitions) continue;
    if (is_wished_by_any(*measured.point.engine_, !is_narrow(median_of(seconds)))) {
      wide.insert(wide.end(), repetitions_of_a_round, &measured);
    }
  }
  return wide;
}

void study_runner::run(std::optional<std::size_t> repetitions) {
  null_reporter nothing;
  std::vector<measured_point*> round;
  const std::size_t count = repetitions.value_or(least_repetitions);
  for (measured_point& measured : points_) {
    if (!measured.result.is_simulated) round.insert(round.end(), count, &measured);
  }
  register_round(round, 0);
  register_simulations();
  if (leads()) {
    // Google Benchmark 1.7 deletes the reporter that it chooses itself, and uses it once more when
    // a program runs further studies.
    benchmark::RunSpecifiedBenchmarks(benchmark::CreateDefaultDisplayReporter());
  } else {
    set_flag("--benchmark_out=");
    benchmark::RunSpecifiedBenchmarks(&nothing);
  }
  if (repetitions) return;
  set_flag("--benchmark_out=");
  for (unsigned seed = 1; !(round = points_with_wide_intervals()).empty(); ++seed) {
    register_round(round, seed);
    benchmark::RunSpecifiedBenchmarks(&nothing);
  }
}

/// Plans a repetition, without the clock. The processes of a group return together.
study_plan study_runner::planned_repetition(measured_point& measured) {
  const study_point& point = measured.point;
  empty_folder(point.folder_ + "/outputs", *point.engine_);
  const clock::time_point start = clock::now();
  std::optional<study_plan> planned;
  std::exception_ptr failure;
  try {
    planned = measured.study->program_(point);
  } catch (...) {
    failure = std::current_exception();
  }
  meet(*point.engine_, failure);
  point_result& result = measured.result;
  // The first repetition may have made the input.
  const bool is_first = result.seconds.empty();
  result.planning_seconds =
      std::min(is_first ? 1e300 : result.planning_seconds, seconds_since(start));
  note_plan(result, *planned);
  return *std::move(planned);
}

double study_runner::seconds_of_repetition(measured_point& measured) {
  const study_plan planned = planned_repetition(measured);
  const study_point& point = measured.point;
  if (!point.is_simulated_) return seconds_of_run(planned, point.settings());
  return seconds_of_simulation(planned, simulated_options::of(*point.figures_, point.workers_));
}

/// Measures one repetition. A point that has failed is not tried again.
void study_runner::measure(benchmark::State& state, measured_point& measured) {
  point_result& result = measured.result;
  try {
    if (measured.failure.empty()) {
      for ([[maybe_unused]] auto _ : state) {
        result.seconds.push_back(seconds_of_repetition(measured));
        state.SetIterationTime(result.seconds.back());
      }
    }
  } catch (const error& failure) {
    measured.failure = failure.what();
  }
  if (!measured.failure.empty()) {
    state.SkipWithError(measured.failure.c_str());
    return;
  }
  state.counters["tasks"] = static_cast<double>(result.num_tasks);
  state.counters["planning"] = result.planning_seconds;
}

std::vector<study_results> study_runner::results(
    const std::map<std::string, std::string>& context) const {
  std::vector<study_results> studied;
  for (const scaling_study* study : studies_) {
    study_results results{study->name(), context, {}};
    for (const measured_point& measured : points_) {
      if (measured.study != study) continue;
      if (!measured.result.seconds.empty()) results.points.push_back(measured.result);
      if (!measured.failure.empty()) results.notes.push_back(failure_text(measured));
    }
    if (!results.points.empty() || !results.notes.empty()) studied.push_back(std::move(results));
  }
  return studied;
}

namespace {

/// Removes the flag that begins with `flag` and returns its value, or nullopt.
std::optional<std::string> take_flag(int& argc, char** argv, std::string_view flag) {
  std::optional<std::string> value;
  int num_kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(flag)) {
      value = argument.substr(flag.size());
    } else {
      argv[num_kept++] = argv[i];
    }
  }
  argc = num_kept;
  return value;
}

/// Returns the number of repetitions that `text` names.
///
/// Throws: value_error <- it is no positive number.
std::optional<std::size_t> repetitions_in(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::size_t count = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, failure] = std::from_chars(text->data(), end, count);
  if (failure != std::errc{} || stop != end || count == 0) {
    throw value_error(
        fmt::format("study: --benchmark_repetitions={} is no number of repetitions", *text));
  }
  return count;
}

/// Returns the name of a folder for a study: letters, digits and hyphens of its name.
std::string folder_name(const std::string& name) {
  std::string folder;
  for (const char c : name) {
    folder += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  return folder;
}

}  // namespace

int run_studies(int argc, char** argv) {
  const auto context = context_of_study();
  std::vector<char*> arguments(argv, argv + argc);
  const std::string folder = take_flag(argc, arguments.data(), "--study_out=").value_or("study");
  if (folder.empty()) throw value_error("study: --study_out= names no folder");
  const auto repetitions =
      repetitions_in(take_flag(argc, arguments.data(), "--benchmark_repetitions="));
  benchmark::Initialize(&argc, arguments.data());
  if (argc > 1) {
    throw value_error(
        fmt::format("study: \"{}\" is no flag of a study or of Google Benchmark", arguments[1]));
  }
  study_runner& runner = study_runner::instance();
  runner.make_points(folder + "/data");
  runner.run(repetitions);
  if (!runner.leads()) return 0;
  bool is_complete = true;
  for (const study_results& results : runner.results(context)) {
    std::cout << '\n' << table_of(results);
    write_study(results, folder + "/" + folder_name(results.name));
    is_complete = is_complete && results.notes.empty();
  }
  return is_complete ? 0 : 1;
}

}  // namespace tessera
