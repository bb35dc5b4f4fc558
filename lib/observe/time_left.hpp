// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The time that a computation still takes.
///
/// Operations differ: a bar that counts tasks alone promises seconds when the long tasks are still
/// to come. So the tasks of each operation are weighed by their mean time, or, before the first has
/// ended, by the cost model, corrected by the ratio that other operations have shown. An
/// operation keeps as many workers busy as it has tasks, and no more than there are. The sum over
/// all operations is the time of the computation. There are two estimates of the time left: the sum
/// less the time that has passed, which knows of tasks that run; and that time, scaled by the ratio
/// of the rest to the part that is done, which knows of all delays. The first counts at the begin,
/// the second at the end.

#include "tessera/scheduler/observer.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Counts the tasks of a computation and estimates the time that it still takes.
class time_left {
 public:
  void begin(const computation_event& event);
  void resume(std::size_t operation, index_t count);
  void end_tasks(const tasks_event& event);

  /// Returns the estimate, or nullopt if nothing has ended yet.
  [[nodiscard]] std::optional<session_time> at(session_time now) const;

 private:
  struct counts {
    double model_seconds = 0;  ///< of one task
    index_t num_tasks = 0;
    index_t num_resumed = 0;
    index_t num_ended = 0;
    double busy_seconds = 0;
  };

  [[nodiscard]] std::optional<double> correction() const;
  [[nodiscard]] double task_seconds(const counts& operation, double correction) const;

  [[nodiscard]] double running_seconds(session_time now, double longest) const;

  std::vector<counts> operations_;
  /// The end of the last task of each worker.
  std::vector<session_time> last_ends_;
  double num_workers_ = 1;
};

}  // namespace tessera
