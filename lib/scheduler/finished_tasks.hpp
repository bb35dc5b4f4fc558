// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which tasks of an operation have ended.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>

namespace tessera {

/// Which tasks of an operation have ended, as runs of neighbours: as tasks are handed out about in
/// their order, there are no more runs than tasks that wait or are under way.
class finished_tasks {
 public:
  /// Adds tasks, none of which is there.
  void add(task_range ended) {
    auto next = runs_.lower_bound(ended.first);
    if (next != runs_.end() && next->first == ended.last) {
      ended.last = next->second;
      next = runs_.erase(next);
    }
    if (next != runs_.begin() && std::prev(next)->second == ended.first) {
      std::prev(next)->second = ended.last;
    } else {
      runs_.emplace_hint(next, ended.first, ended.last);
    }
  }

  void clear() { runs_.clear(); }

  [[nodiscard]] std::size_t num_runs() const { return runs_.size(); }

  /// Returns the last of `tasks` that is not there; nothing where all are.
  [[nodiscard]] std::optional<index_t> last_missing(task_range tasks) const {
    if (tasks.first >= tasks.last) return std::nullopt;
    const auto behind = runs_.lower_bound(tasks.last);
    if (behind == runs_.begin()) return tasks.last - 1;
    const auto& [first, last] = *std::prev(behind);
    if (last < tasks.last) return tasks.last - 1;
    if (first <= tasks.first) return std::nullopt;
    return first - 1;
  }

 private:
  std::map<index_t, index_t> runs_;  ///< [first, last), by its first
};

}  // namespace tessera
