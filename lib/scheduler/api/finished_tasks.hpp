// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The set of the tasks of an operation that have ended.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>

namespace tessera {

/// The set of the tasks of an operation that have ended, as disjoint intervals.
///
/// Tasks are submitted roughly in their order. The set therefore has at most as many intervals as
/// tasks wait or are in flight.
class finished_tasks {
 public:
  /// Adds tasks. Requires: none of them is in the set.
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

  /// Returns the last of `tasks` that is not in the set, or nullopt if the set has all of them.
  [[nodiscard]] std::optional<index_t> last_missing(task_range tasks) const {
    if (tasks.first >= tasks.last) return std::nullopt;
    const auto next_run = runs_.lower_bound(tasks.last);
    if (next_run == runs_.begin()) return tasks.last - 1;
    const auto& [first, last] = *std::prev(next_run);
    if (last < tasks.last) return tasks.last - 1;
    if (first <= tasks.first) return std::nullopt;
    return first - 1;
  }

 private:
  std::map<index_t, index_t> runs_;  ///< intervals [first, last), by their first task
};

}  // namespace tessera
