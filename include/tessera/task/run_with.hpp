// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a run behaves: what runs the tasks, what is tried again, who watches.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

class executor;
class observer;

/// What becomes of the work that an earlier run of the same computation left in the work directory.
enum class resume_mode : std::uint8_t {
  automatic,  ///< continued where it is there
  never,      ///< computed afresh
  require,    ///< continued; a `value_error` where nothing is there
};

/// How a run behaves. No bit of a result depends on it.
///
/// What is not set is for a plan what it was made with, else what the program's options say, else
/// what is named here.
/// Example: `ts::compute(x, ts::run_with{.executor = ts::executors::threads(4)});`
struct run_with {
  /// What runs the tasks; null: `default_executor()`.
  std::shared_ptr<tessera::executor> executor = nullptr;

  /// How often a task is tried that fails for a reason that may pass; not set: three times.
  std::optional<int> max_attempts = std::nullopt;

  /// The longest that a task may run; then its worker is stopped where the executor can, which
  /// costs the task an attempt. Not set: for ever.
  std::optional<std::chrono::milliseconds> task_timeout = std::nullopt;

  /// Whether a task that takes far longer than its like is started once more elsewhere; not set: it
  /// is.
  std::optional<bool> backups = std::nullopt;

  /// What becomes of an earlier run's work; not set: `default_resume()`.
  std::optional<resume_mode> resume = std::nullopt;

  /// Who watches, none of them null; nobody: `default_observers()`, where users ask for a run
  /// (`execute` and `run` of a bare plan add none).
  std::vector<std::shared_ptr<observer>> observers = {};

  /// Returns this, and what it does not set as `other` has it.
  [[nodiscard]] run_with or_else(const run_with& other) const;
};

}  // namespace tessera
