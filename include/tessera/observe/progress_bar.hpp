// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A line on the terminal that tells how far a computation is.

#include "tessera/scheduler/observer.hpp"

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

namespace tessera {

/// Whether computations show their progress on standard error. `automatic`: lines that are drawn
/// over and over on a terminal, from one second on; elsewhere a plain line each 30 seconds.
/// `always`: on a terminal from the begin on, elsewhere a plain line each second.
enum class progress_mode { automatic, always, never };

/// Returns the mode that `text` names: "auto", "always" or "never".
///
/// Throws: value_error <- it names none.
[[nodiscard]] progress_mode parse_progress_mode(const std::string& text);

/// How progress is shown.
struct progress_style {
  /// Whether lines are drawn over with the control codes of terminals. Else each is a line of its
  /// own, without such codes, as logs need it.
  bool is_terminal = true;
  /// The time of the first drawing: a computation that ends before shows nothing.
  session_time first = std::chrono::seconds(1);
  /// The shortest time between drawings.
  session_time period = std::chrono::milliseconds(100);

  [[nodiscard]] static progress_style of_terminal() { return {}; }
  [[nodiscard]] static progress_style of_log() {
    return {false, std::chrono::seconds(30), std::chrono::seconds(30)};
  }
};

/// Shows how far a computation is. On a terminal, operations that run side by side have a line
/// each, five at most, above the line of the computation:
///
///     3 mean(u), partial   [########            ]  40 %  400/1,000 tasks
///     all 3 operations     [###                 ]  15 %  460/3,040 tasks  52/s  210 MB/s  0:12
///     left
///
/// The time left counts the measured times of each operation's tasks. Tasks that an earlier run has
/// finished are done from the beginning, and not part of the rates.
///
/// Threads: as `observer`.
class progress_bar final : public observer {
 public:
  /// Draws on `out`, which outlives the object.
  explicit progress_bar(std::ostream& out, progress_style style = {});
  /// Ends the line if the computation has not ended.
  ~progress_bar() override;

  /// Draws the progress at the time `now`, whether a drawing is due or not.
  void draw(session_time now);

  void on_computation_begin(const computation_event& event) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_failure(const failure_event& event) override;
  void on_idle(idle_reason reason, session_time now) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tessera
