// SPDX-License-Identifier: Apache-2.0
/// \file
/// The progress of a run by its log: events go to a progress bar, as they do in the run itself.
#include "tessera/observe/progress_bar.hpp"

#include "observe/api/run_log.hpp"
#include "tool/commands.hpp"
#include "tool/records.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>
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

progress_style style_of(bool is_once) {
  // A drawing for the last event alone.
  if (is_once) return {false, session_time::max(), session_time::max()};
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  progress_style style = is_terminal ? progress_style::of_terminal() : progress_style::of_log();
  style.first = {};  // a run that ended early is shown as well
  return style;
}

}  // namespace

int watch(const watch_options& options) {
  const bool is_once = options.is_once;
  const std::string record = records_in(options.folder, "watch").back().string();
  run_log_reader log(record + "/run.tessera-log");
  std::cout << fmt::format("{}: {} on {} workers, begun {}\n", record, log.header().executor,
                           log.header().num_workers, log.header().began);
  progress_bar bar(std::cout, style_of(is_once));
  replay events(log.header(), bar);
  session_time now{};
  auto heard = std::chrono::steady_clock::now();
  while (!events.has_ended()) {
    while (const auto block = log.next_block()) {
      heard = std::chrono::steady_clock::now();
      for (const run_event& event : *block) {
        events.take(event);
        now = std::max(now, event.ended);
      }
    }
    if (events.has_ended()) break;
    if (is_once) {
      bar.draw(now);
      return 0;
    }
    if (std::chrono::steady_clock::now() - heard > longest_silence) {
      std::cout << "\nno event for a minute: the run was killed, or cannot write its log\n";
      return 1;
    }
    std::this_thread::sleep_for(poll_period);
  }
  const bool is_completed = events.is_completed();
  if (is_once && is_completed) bar.draw(now);
  return is_completed ? 0 : 1;
}

}  // namespace tessera::tool
