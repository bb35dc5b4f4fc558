// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An observer that records each computation in a folder of its own.

#include "tessera/scheduler/observer.hpp"

#include <memory>
#include <string>

namespace tessera {

/// Records computations: each in a new folder "1", "2", ... below one folder.
///
/// While a computation runs, its events go to "run.tessera-log", at least once a second, so that
/// all but the last second is there after a kill. When it ends, however it ends, `write_report`
/// writes the files that are derived from the log.
///
/// Memory:  1 MB while the computation runs; at its end about 150 bytes a batch, unless the log is
///          above 16 MB: then `tessera report` writes the files.
/// Threads: as `observer`; besides, a thread of its own samples the memory of the process ten times
///          a second while a computation runs.
/// Errors:  a folder or log that cannot be created ends the computation before its first task. If
///          the log cannot be written later, or the files cannot be, a line on standard error says
///          so, and the computation goes on.
class recorder final : public observer {
 public:
  /// Records into folders below `folder`. `explanation` is the plan in words, for the record.
  explicit recorder(std::string folder, std::string explanation = {});
  ~recorder() override;

  /// Returns the folder of the computation that began last; empty if none did.
  [[nodiscard]] const std::string& last_folder() const;

  void on_computation_begin(const computation_event& event) override;
  void on_worker_start(const worker_start& start) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_backup(std::size_t operation, index_t first, session_time now) override;
  void on_failure(const failure_event& event) override;
  void on_attempt_dropped(const tasks_event& event) override;
  void on_idle(idle_reason reason, session_time now) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Writes the files that are derived from the log of a computation into the log's folder:
/// history.csv and history.json (a line for each operation), tasks.csv.gz (a line for each batch of
/// tasks), trace.json.gz (for Perfetto and chrome://tracing), timeline.html (a page that draws the
/// run), timeline.svg (a figure for papers), explain.txt (the plan in words).
/// `folder` holds "run.tessera-log"; the computation may still run.
///
/// Throws: store_error <- the log cannot be read, or a file cannot be written.
///         value_error <- the file is no log.
void write_report(const std::string& folder);

}  // namespace tessera
