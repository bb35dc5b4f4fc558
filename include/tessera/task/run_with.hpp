// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of a run: executor, attempts, time-outs, resumption, observers.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class executor;
class observer;

/// Whether a run continues the work that an earlier run of the same computation left in the work
/// directory.
enum class resume_mode : std::uint8_t {
  automatic,  ///< continued if there is any
  never,      ///< computed afresh
  require,    ///< continued; a `value_error` if there is none
};

/// The options of a run. No bit of a result depends on them.
///
/// A member that is not set comes from the options that the plan was made with. Else the program's
/// option counts, else the default that is named here.
/// Example: `ts::compute(x, ts::run_with{.executor = ts::executors::threads(4)});`
struct run_with {
  /// The executor that runs the tasks; null: `default_executor()`.
  std::shared_ptr<tessera::executor> executor = nullptr;

  /// The attempts at a task that fails for a reason that may pass; not set: three.
  std::optional<int> max_attempts = std::nullopt;

  /// The longest that a task may run; then its worker is stopped if the executor can, which costs
  /// the task an attempt. Threads cannot be stopped: then a note at the begin says that the
  /// time-out has no effect. Not set: for ever.
  std::optional<std::chrono::milliseconds> task_timeout = std::nullopt;

  /// Whether a task that takes far longer than its like is started once more elsewhere; not set: it
  /// is.
  std::optional<bool> backups = std::nullopt;

  /// Whether an earlier run's work is continued; not set: `default_resume()`.
  std::optional<resume_mode> resume = std::nullopt;

  /// The observers, none of them null; empty: `default_observers()`, for runs that users ask for
  /// (`execute` and `run` of a bare plan add none).
  std::vector<std::shared_ptr<observer>> observers = {};

  /// The folder of the run's record: its log, tables and trace go to a numbered folder in it (see
  /// `recorder`). Not set: the option --tessera-report, else the environment variable
  /// TESSERA_REPORT. Empty: no record.
  std::optional<std::string> report = std::nullopt;

  /// Returns these options; members that are not set come from `defaults`.
  [[nodiscard]] run_with or_else(const run_with& defaults) const;
};

}  // namespace tessera
