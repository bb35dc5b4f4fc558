// SPDX-License-Identifier: Apache-2.0
#include "benchmark/study_runner.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/observe/simulation.hpp"
#include "tessera/scheduler/observer.hpp"

#include "benchmark/plot.hpp"
#include "observe/api/run_context.hpp"
#include "observe/api/text_file.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
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

/// Keeps progress off the screen while a run is measured.
class silent_observer final : public observer {};

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Returns the name of an engine with `workers` workers.
std::string with_workers(const std::string& engine, std::size_t workers) {
  constexpr std::string_view place = "{workers}";
  const std::size_t at = engine.find(place);
  if (at == std::string::npos) return fmt::format("{}:{}", engine, workers);
  std::string name = engine;
  return name.replace(at, place.size(), fmt::format("{}", workers));
}

/// Returns the name of an engine without its options.
std::string kind_of(const std::string& engine) { return engine.substr(0, engine.find(':')); }

void empty_folder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  std::filesystem::create_directories(folder, ignored);
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

}  // namespace

study_runner& study_runner::instance() {
  static study_runner runner;
  return runner;
}

void study_runner::add(const scaling_study& study) { studies_.push_back(&study); }

void study_runner::remove(const scaling_study& study) { std::erase(studies_, &study); }

void study_runner::register_points(const std::string& folder) {
  for (const scaling_study* study : studies_) {
    for (const scaling_study::series& series : study->series_) {
      register_series(*study, series, folder);
    }
  }
}

void study_runner::register_series(const scaling_study& study, const scaling_study::series& series,
                                   const std::string& folder) {
  for (const std::size_t workers : series.workers) {
    measured_point& measured = points_.emplace_back();
    measured.study = &study;
    measured.point.workers_ = workers;
    measured.point.scale_ = series.scale_of(static_cast<double>(workers));
    measured.point.is_simulated_ = series.is_simulated;
    measured.point.folder_ = folder;
    measured.point.figures_ = series.figures;
    measured.result.is_weak = series.is_weak;
    measured.result.is_simulated = series.is_simulated;
    measured.result.engine = series.is_simulated ? "simulated" : kind_of(series.engine);
    measured.result.workers = workers;
    measured.result.scale = measured.point.scale_;
    if (series.is_simulated) {
      measured.point.engine_ =
          executors::simulated(simulated_options::of(*series.figures, workers));
    }
    const std::string name =
        fmt::format("{}/{}/{}/workers:{}", study.name(), series.is_weak ? "weak" : "strong",
                    measured.result.engine, workers);
    auto* const registered = benchmark::RegisterBenchmark(
        name.c_str(), [&measured, engine = series.engine](benchmark::State& state) {
          if (!measured.point.engine_) {
            measured.point.engine_ = make_executor(with_workers(engine, measured.point.workers_));
          }
          measure(state, measured);
        });
    registered->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
    // Each run of a simulation takes the same time.
    if (series.is_simulated) registered->Repetitions(1);
  }
}

/// Measures one repetition: inputs and plan first, without the clock.
void study_runner::measure(benchmark::State& state, measured_point& measured) {
  for ([[maybe_unused]] auto _ : state) {
    empty_folder(measured.point.folder_ + "/outputs");
    const clock::time_point planning = clock::now();
    const study_plan planned = measured.study->program_(measured.point);
    // The first repetition may have made the input.
    double& planning_seconds = measured.result.planning_seconds;
    const bool is_first = measured.result.seconds.empty();
    planning_seconds = std::min(is_first ? 1e300 : planning_seconds, seconds_since(planning));
    note_plan(measured.result, planned);
    double seconds = 0;
    if (measured.point.is_simulated_) {
      const auto options = simulated_options::of(*measured.point.figures_, measured.point.workers_);
      const simulation_report report = simulate(planned.bounded(), options);
      seconds = std::chrono::duration<double>(report.elapsed).count();
    } else {
      run_with settings = measured.point.settings();
      settings.observers = {std::make_shared<silent_observer>()};
      settings.report = std::string{};  // its files would be part of the time
      const clock::time_point start = clock::now();
      planned.execute(settings);
      seconds = seconds_since(start);
    }
    state.SetIterationTime(seconds);
    measured.result.seconds.push_back(seconds);
  }
  state.counters["tasks"] = static_cast<double>(measured.result.num_tasks);
  state.counters["planning"] = measured.result.planning_seconds;
}

std::vector<study_results> study_runner::results() const {
  std::vector<study_results> studied;
  for (const scaling_study* study : studies_) {
    study_results results{study->name(), context_of_run(), {}};
    for (const measured_point& measured : points_) {
      if (measured.study == study && !measured.result.seconds.empty()) {
        results.points.push_back(measured.result);
      }
    }
    if (!results.points.empty()) studied.push_back(std::move(results));
  }
  return studied;
}

namespace {

/// Removes the flag `--study_out` and returns its value.
std::string take_folder(int& argc, char** argv) {
  constexpr std::string_view flag = "--study_out=";
  std::string folder = "study";
  int num_kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(flag)) {
      folder = argument.substr(flag.size());
    } else {
      argv[num_kept++] = argv[i];
    }
  }
  argc = num_kept;
  return folder;
}

bool has_flag(int argc, char** argv, std::string_view flag) {
  return std::any_of(argv, argv + argc,
                     [&](const char* text) { return std::string_view(text).starts_with(flag); });
}

void write_files(const study_results& results, const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  write_text_file(folder + "/study.csv", csv_of(results));
  write_text_file(folder + "/study.json", json_of(results));
  write_text_file(folder + "/study.jsonl", extra_p_of(results));
  write_text_file(folder + "/study.md", markdown_of(results));
  for (const study_plot plot :
       {study_plot::time, study_plot::speed_up, study_plot::efficiency, study_plot::memory}) {
    write_text_file(fmt::format("{}/{}.svg", folder, name_of(plot)), svg_of(results, plot));
  }
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
  const std::string folder = take_folder(argc, argv);
  if (folder.empty()) throw value_error("study: --study_out= names no folder");
  std::vector<char*> arguments(argv, argv + argc);
  std::string repetitions = "--benchmark_repetitions=5";
  std::string interleaving = "--benchmark_enable_random_interleaving=true";
  if (!has_flag(argc, argv, "--benchmark_repetitions")) arguments.push_back(repetitions.data());
  arguments.push_back(interleaving.data());
  int num_arguments = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&num_arguments, arguments.data());
  if (num_arguments > 1) {
    throw value_error(
        fmt::format("study: \"{}\" is no flag of a study or of Google Benchmark", arguments[1]));
  }
  study_runner& runner = study_runner::instance();
  runner.register_points(folder + "/data");
  benchmark::RunSpecifiedBenchmarks();
  for (const study_results& results : runner.results()) {
    std::cout << '\n' << table_of(results);
    write_files(results, folder + "/" + folder_name(results.name));
  }
  return 0;
}

}  // namespace tessera
