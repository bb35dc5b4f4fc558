// SPDX-License-Identifier: Apache-2.0
#include "runtime/study_driver.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/simulated.hpp"

#include "core/api/nearest_name.hpp"
#include "observe/api/run_log.hpp"
#include "observe/api/study_context.hpp"
#include "observe/api/study_files.hpp"
#include "runtime/run_program.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view workers_placeholder = "{workers}";

std::vector<std::string> split(std::string_view text, char separator) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// Parses a positive number.
std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc{} && stop == end && number > 0) return number;
  throw value_error(fmt::format("--tessera-study: \"{}\" is no positive number", text));
}

std::vector<std::size_t> numbers_in(std::string_view text) {
  std::vector<std::size_t> numbers;
  for (const std::string& part : split(text, ',')) numbers.push_back(number_in(part));
  return numbers;
}

struct request_key {
  std::string_view name;
  void (*set)(study_request& request, const std::string& value);
};

constexpr std::array<request_key, 6> request_keys{{
    {"workers",
     [](study_request& request, const std::string& value) { request.workers = numbers_in(value); }},
    {"simulated", [](study_request& request,
                     const std::string& value) { request.simulated = numbers_in(value); }},
    {"repeat", [](study_request& request,
                  const std::string& value) { request.repetitions = number_in(value); }},
    {"engine", [](study_request& request, const std::string& value) { request.engine = value; }},
    {"launch",
     [](study_request& request, const std::string& value) {
       request.launch = value;
       if (request.engine == "threads") request.engine = "mpi";
     }},
    {"out", [](study_request& request, const std::string& value) { request.folder = value; }},
}};

void set_key(study_request& request, const std::string& part) {
  const std::size_t equals = std::min(part.find('='), part.size());
  const std::string_view name = std::string_view(part).substr(0, equals);
  const auto* const key = std::ranges::find(request_keys, name, &request_key::name);
  const std::string value = part.substr(std::min(equals + 1, part.size()));
  if (key != request_keys.end() && !value.empty()) return key->set(request, value);
  std::vector<std::string_view> names;
  for (const request_key& known : request_keys) names.push_back(known.name);
  throw value_error(
      fmt::format("--tessera-study: \"{}\" is no part of a study{}; write it as in "
                  "--tessera-study=\"workers=1,2;repeat=5\"; parts are {}",
                  part, did_you_mean(name, names), fmt::join(names, ", ")));
}

/// Returns `text` with the number of workers instead of each placeholder.
std::string with_workers(std::string text, std::size_t workers) {
  const std::string number = fmt::format("{}", workers);
  for (std::size_t at = 0; (at = text.find(workers_placeholder, at)) != std::string::npos;) {
    text.replace(at, workers_placeholder.size(), number);
    at += number.size();
  }
  return text;
}

std::string executor_of(const study_request& request, std::size_t workers, bool is_simulated) {
  if (is_simulated) {
    return executors::simulated(simulated_options::of(default_spec().costs, workers))->name();
  }
  const bool is_named =
      !request.launch.empty() || request.engine.find(workers_placeholder) != std::string::npos;
  return is_named ? with_workers(request.engine, workers)
                  : fmt::format("{}:{}", request.engine, workers);
}

/// Returns the folders of the computations of a program.
std::vector<fs::path> records_in(const std::string& folder) {
  std::vector<fs::path> records;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (fs::exists(entry.path() / "run.tessera-log", ignored)) records.push_back(entry.path());
  }
  return records;
}

/// Returns the time of a computation by its log; nullopt if it did not end well.
std::optional<session_time> time_of(run_log_reader& log) {
  session_time last{};
  bool is_complete = false;
  while (const auto block = log.next_block()) {
    for (const run_event& event : *block) {
      last = std::max(last, event.ended);
      is_complete |= event.kind == run_event_kind::run_ended &&
                     event.detail == static_cast<std::uint8_t>(computation_outcome::completed);
    }
  }
  return is_complete ? std::optional(last) : std::nullopt;
}

void note_operations(point_result& point, const run_header& header) {
  for (const workload_operation& operation : header.operations) {
    const auto count = static_cast<std::uint64_t>(operation.num_tasks);
    point.num_tasks += count;
    point.element_steps += static_cast<double>(operation.num_tasks) *
                           static_cast<double>(operation.element_steps_per_task);
    point.moved +=
        bytes{count * (operation.bytes_read_per_task + operation.bytes_written_per_task).count()};
    point.task_memory = std::max(point.task_memory, operation.task_memory);
  }
}

/// A study of a program while it runs.
class program_study {
 public:
  program_study(const study_request& request, std::vector<std::string> words)
      : request_(request), words_(std::move(words)) {
    results_.name = fs::path(words_.front()).filename().string();
    results_.context = context_of_study();
    for (const std::size_t workers : request_.workers) add_point(workers, false);
    for (const std::size_t workers : request_.simulated) add_point(workers, true);
  }

  void run() {
    remove_earlier_runs();
    if (!request_.workers.empty()) warm_up();
    measure(request_.repetitions.value_or(least_repetitions));
    for (std::size_t count = least_repetitions;
         !request_.repetitions && has_wide_interval() && count < most_repetitions; ++count) {
      measure(1);
    }
    simulate();
    std::erase_if(results_.points, [](const point_result& point) { return point.seconds.empty(); });
    if (results_.points.empty()) {
      throw value_error(
          fmt::format("study: no point was measured: {}", fmt::join(results_.notes, "; ")));
    }
    std::cout << table_of(results_);
    write_study(results_, request_.folder);
  }

 private:
  void add_point(std::size_t workers, bool is_simulated) {
    point_result& point = results_.points.emplace_back();
    point.engine =
        is_simulated ? "simulated" : request_.engine.substr(0, request_.engine.find(':'));
    point.workers = workers;
    point.is_simulated = is_simulated;
  }

  [[nodiscard]] std::string runs_folder() const { return request_.folder + "/runs"; }

  /// Removes the runs of an earlier study, which have the output of a program.
  ///
  /// Throws: value_error <- a folder has none, and may be the user's.
  void remove_earlier_runs() const {
    fs::create_directories(runs_folder());
    for (const fs::directory_entry& run : fs::directory_iterator(runs_folder())) {
      if (!fs::exists(run.path() / "output.txt")) {
        throw value_error(fmt::format("study: \"{}\" is of no study; choose another folder by out=",
                                      run.path().string()));
      }
    }
    fs::remove_all(runs_folder());
    fs::create_directories(runs_folder());
  }

  /// Runs the program once. Returns its exit code.
  int run_once(const point_result& point, const std::string& folder) {
    fs::create_directories(folder);
    return run_program(
        command_of_point(words_, request_, point.workers, point.is_simulated, folder),
        folder + "/output.txt");
  }

  /// Returns the last line of the output of a run.
  static std::string last_line(const std::string& folder) {
    std::ifstream output(folder + "/output.txt");
    std::string last;
    for (std::string line; std::getline(output, line);) {
      if (!line.empty()) last = line;
    }
    return last;
  }

  void warm_up() { require_success(results_.points.front(), runs_folder() + "/first"); }

  /// Throws: value_error <- the program failed.
  void require_success(const point_result& point, const std::string& folder) {
    const int code = run_once(point, folder);
    if (code == 0) return;
    throw value_error(fmt::format("study: {} on {} workers ended with exit code {}: {}",
                                  results_.name, point.workers, code, last_line(folder)));
  }

  [[nodiscard]] std::string next_folder() {
    return fmt::format("{}/{}", runs_folder(), ++num_runs_);
  }

  void repeat(point_result& point) {
    const std::string folder = next_folder();
    const auto start = std::chrono::steady_clock::now();
    require_success(point, folder);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    add_repetition(point, folder, elapsed.count());
  }

  /// Measures points that need it, `repetitions` times, in random order.
  void measure(std::size_t repetitions) {
    std::vector<point_result*> runs;
    for (point_result& point : results_.points) {
      if (needs_repetition(point)) runs.insert(runs.end(), repetitions, &point);
    }
    std::ranges::shuffle(runs, draw_);
    for (point_result* point : runs) repeat(*point);
  }

  static bool needs_repetition(const point_result& point) {
    return !point.is_simulated && (point.seconds.empty() || !is_narrow(median_of(point.seconds)));
  }
  [[nodiscard]] bool has_wide_interval() const {
    return std::ranges::any_of(results_.points, needs_repetition);
  }

  /// A program that needs values cannot be simulated: the study tells so.
  void simulate() {
    for (point_result& point : results_.points) {
      if (!point.is_simulated) continue;
      const std::string folder = next_folder();
      const int code = run_once(point, folder);
      std::string refusal = code == 0 ? "" : last_line(folder);
      try {
        if (code == 0) add_repetition(point, folder, 0);
      } catch (const error& failure) {
        refusal = failure.what();
      }
      if (point.seconds.empty()) {
        results_.notes.push_back(
            fmt::format("not simulated on {} workers: {}", point.workers, refusal));
      }
    }
  }

  const study_request& request_;
  std::vector<std::string> words_;
  study_results results_;
  std::mt19937_64 draw_{0};
  std::size_t num_runs_ = 0;
};

}  // namespace

study_request parse_study_request(std::string_view text) {
  study_request request;
  for (const std::string& part : split(text, ';')) set_key(request, part);
  if (request.workers.empty() && request.simulated.empty()) {
    throw value_error(fmt::format(
        "--tessera-study=\"{}\" names no workers; write --tessera-study=\"workers=1,2;repeat=5\"",
        text));
  }
  return request;
}

std::vector<std::string> command_of_point(const std::vector<std::string>& words,
                                          const study_request& request, std::size_t workers,
                                          bool is_simulated, const std::string& report) {
  constexpr std::array<std::string_view, 5> set_by_point{
      "--tessera-executor=", "--tessera-report=", "--tessera-resume=", "--tessera-progress=",
      "--tessera-study="};
  std::vector<std::string> command;
  if (!is_simulated) command = split(with_workers(request.launch, workers), ' ');
  command.push_back(words.front());
  for (const std::string& option :
       {"--tessera-executor=" + executor_of(request, workers, is_simulated),
        "--tessera-report=" + report, std::string("--tessera-resume=never"),
        std::string("--tessera-progress=never")}) {
    command.push_back(option);
  }
  // Words behind "--" are the program's, whatever they are.
  bool is_reading = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    is_reading = is_reading && words[i] != "--";
    const bool is_set = std::ranges::any_of(
        set_by_point, [&](std::string_view option) { return words[i].starts_with(option); });
    if (!is_reading || !is_set) command.push_back(words[i]);
  }
  return command;
}

void add_repetition(point_result& point, const std::string& folder, double seconds) {
  session_time sum{};
  const bool is_first = point.seconds.empty();
  const std::vector<fs::path> records = records_in(folder);
  for (const fs::path& record : records) {
    run_log_reader log((record / "run.tessera-log").string());
    const std::optional<session_time> time = time_of(log);
    if (!time) throw value_error("study: " + record.string() + " did not end well");
    sum += *time;
    if (is_first) note_operations(point, log.header());
  }
  if (records.empty()) {
    throw value_error(
        fmt::format("study: the program computed nothing on {} workers", point.workers));
  }
  const double computing = std::chrono::duration<double>(sum).count();
  const double rest = std::max(0.0, seconds - computing);
  point.seconds.push_back(computing);
  point.planning_seconds = is_first ? rest : std::min(point.planning_seconds, rest);
}

void run_study_of_program(const study_request& request, const std::vector<std::string>& words) {
  constexpr const char* marker = "TESSERA_STUDY_RUNS";
  if (std::getenv(marker) != nullptr) {
    throw value_error("study: this program is run by a study already");
  }
  setenv(marker, "1", 1);
  program_study(request, words).run();
}

}  // namespace tessera
