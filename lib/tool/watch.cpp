// SPDX-License-Identifier: Apache-2.0
/// \file
/// The progress of a run by its log: events go to a progress bar, as they do in the run itself, or
/// become lines of JSON. A detached run has its state in a file, which is shown.
#include "tessera/core/error.hpp"
#include "tessera/observe/progress_bar.hpp"

#include "observe/api/run_log.hpp"
#include "runtime/api/detached_run.hpp"
#include "tool/commands.hpp"
#include "tool/records.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::tool {

namespace {

constexpr std::chrono::milliseconds poll_period{500};
/// A run that is recorded writes each second.
constexpr std::chrono::seconds longest_silence{60};

/// Hands the events of a log to an observer.
class replay {
 public:
  replay(const run_header& header, observer& watcher) : watcher_(watcher) {
    watcher_.on_computation_begin(
        {header.operations, header.executor, header.num_workers, false, header.is_simulated});
  }

  void take(const run_event& event) {
    switch (event.kind) {
      case run_event_kind::operation_began:
        return watcher_.on_operation_begin(event.operation, event.started);
      case run_event_kind::operation_ended:
        return watcher_.on_operation_end(event.operation, event.started);
      case run_event_kind::tasks_resumed:
        return watcher_.on_tasks_resumed(event.operation, event.count);
      case run_event_kind::tasks_ended:
        return watcher_.on_tasks_end({event.operation, event.first, event.count, event.worker,
                                      event.attempt, event.started, event.ended, event.memory,
                                      event.moved});
      case run_event_kind::attempt_failed:
        return watcher_.on_failure({event.operation, event.first, event.worker, event.attempt,
                                    event.text, event.detail == 1, event.started, event.ended});
      case run_event_kind::run_ended:
        has_ended_ = true;
        is_completed_ = event.detail == static_cast<std::uint8_t>(computation_outcome::completed);
        return watcher_.on_computation_end(
            is_completed_ ? computation_outcome::completed : computation_outcome::failed,
            event.started);
      default:
        return;
    }
  }

  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] bool is_completed() const { return is_completed_; }

 private:
  observer& watcher_;
  bool has_ended_ = false;
  bool is_completed_ = false;
};

/// Prints the progress of a run as lines of JSON.
class json_progress final : public observer {
 public:
  explicit json_progress(std::string record) : record_(std::move(record)) {}

  void on_computation_begin(const computation_event& event) override {
    for (const workload_operation& operation : event.operations) {
      operations_.push_back({operation.name, operation.num_tasks});
    }
  }
  void on_tasks_resumed(std::size_t operation, index_t count) override {
    operations_.at(operation).num_done += count;
  }
  void on_tasks_end(const tasks_event& event) override {
    operations_.at(event.operation).num_done += event.count;
    moved_ = event.moved
                 ? bytes{moved_.count() + event.moved->read.count() + event.moved->written.count()}
                 : moved_;
  }
  void on_failure(const failure_event& event) override {
    ++operations_.at(event.operation).num_failures;
  }

  /// Prints a line: the state, the time since the begin, and the tasks of each operation.
  void print(std::string_view state, session_time now) const {
    auto rows = nlohmann::ordered_json::array();
    for (const progress& row : operations_) {
      rows.push_back({{"name", row.name},
                      {"tasks", row.num_tasks},
                      {"done", row.num_done},
                      {"failures", row.num_failures}});
    }
    const nlohmann::ordered_json line{{"record", record_},
                                      {"state", state},
                                      {"seconds", std::chrono::duration<double>(now).count()},
                                      {"bytes_moved", moved_.count()},
                                      {"operations", rows}};
    std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }

 private:
  struct progress {
    std::string name;
    index_t num_tasks = 0;
    index_t num_done = 0;
    index_t num_failures = 0;
  };

  std::string record_;
  std::vector<progress> operations_;
  bytes moved_{};
};

progress_style style_of(bool is_once) {
  // A drawing for the last event alone.
  if (is_once) return {false, session_time::max(), session_time::max()};
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  progress_style style = is_terminal ? progress_style::of_terminal() : progress_style::of_log();
  style.first = {};  // a run that ended early is shown as well
  return style;
}

enum class run_state { running, silent, completed, failed };

constexpr std::array<std::string_view, 4> state_names{"running", "silent", "completed", "failed"};

struct watched {
  run_state state = run_state::running;
  /// The time of the last event since the begin of the run.
  session_time now{};
};

/// Hands the events that the log has by now to `events`. Returns whether there are new ones.
bool take_new(run_log_reader& log, replay& events, session_time& now) {
  bool is_new = false;
  while (const auto block = log.next_block()) {
    is_new = true;
    for (const run_event& event : *block) {
      events.take(event);
      now = std::max(now, event.ended);
    }
  }
  return is_new;
}

/// Follows a log until its run has ended or fallen silent, or once. Calls `show(now)` for news of a
/// run that goes on.
template <class Show>
watched follow(run_log_reader& log, replay& events, bool is_once, const Show& show) {
  watched run;
  auto heard = std::chrono::steady_clock::now();
  for (;;) {
    const bool is_new = take_new(log, events, run.now);
    if (events.has_ended()) {
      run.state = events.is_completed() ? run_state::completed : run_state::failed;
      return run;
    }
    if (is_once) return run;
    if (is_new) {
      heard = std::chrono::steady_clock::now();
      show(run.now);
    } else if (std::chrono::steady_clock::now() - heard > longest_silence) {
      run.state = run_state::silent;
      return run;
    }
    std::this_thread::sleep_for(poll_period);
  }
}

run_state watch_as_json(run_log_reader& log, const std::string& record, bool is_once) {
  json_progress progress(record);
  replay events(log.header(), progress);
  const watched run =
      follow(log, events, is_once, [&](session_time now) { progress.print("running", now); });
  progress.print(state_names.at(static_cast<std::size_t>(run.state)), run.now);
  return run.state;
}

run_state watch_as_text(run_log_reader& log, const std::string& record, bool is_once) {
  std::cout << fmt::format("{}: {} on {} workers, begun {}\n", record, log.header().executor,
                           log.header().num_workers, log.header().began);
  progress_bar bar(std::cout, style_of(is_once));
  replay events(log.header(), bar);
  const watched run = follow(log, events, is_once, [](session_time) {});
  if (is_once && run.state != run_state::failed) bar.draw(run.now);
  if (run.state == run_state::silent) {
    std::cout << "\nno event for a minute: the run was killed, or cannot write its log\n";
  }
  return run.state;
}

/// Shows a detached run as the option --tessera-attach of its program does.
int watch_detached(const watch_options& options) {
  if (options.is_json) {
    throw value_error(
        fmt::format("watch: \"{}\" is a detached run, whose state is text; start it with "
                    "--tessera-report too, and watch that folder with --json",
                    options.folder));
  }
  const attach_action action = options.is_once ? attach_action::show : attach_action::wait;
  return attach({options.folder, action}) == 0 ? 0 : 1;
}

}  // namespace

int watch(const watch_options& options) {
  if (is_of_detached_run(options.folder)) return watch_detached(options);
  const std::string record = records_in(options.folder, "watch").back().string();
  run_log_reader log(record + "/run.tessera-log");
  const run_state state = options.is_json ? watch_as_json(log, record, options.is_once)
                                          : watch_as_text(log, record, options.is_once);
  return state == run_state::running || state == run_state::completed ? 0 : 1;
}

}  // namespace tessera::tool
