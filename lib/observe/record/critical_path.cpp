// SPDX-License-Identifier: Apache-2.0
#include "observe/record/critical_path.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tessera {

namespace {

/// The end of an attempt, and the number of its event.
struct attempt_end {
  session_time time{};
  std::size_t event = 0;
  [[nodiscard]] auto operator<=>(const attempt_end&) const = default;
};

bool is_attempt(const run_event& event) {
  return event.kind == run_event_kind::tasks_ended ||
         event.kind == run_event_kind::attempt_failed ||
         event.kind == run_event_kind::attempt_dropped;
}

/// The ends of attempts by worker, operation and task.
class attempt_index {
 public:
  explicit attempt_index(const run_record& record)
      : record_(record), of_operations_(record.header.operations.size()) {
    for (std::size_t i = 0; i < record.events.size(); ++i) {
      if (is_attempt(record.events[i])) add(i);
    }
    std::ranges::for_each(of_operations_, [](ends& list) { std::ranges::sort(list); });
    for (auto& [worker, list] : of_workers_) std::ranges::sort(list);
  }

  /// Returns the number of the attempt that ended last, or nullopt if there is none.
  [[nodiscard]] std::optional<std::size_t> last() const { return event_of(last_); }

  /// Returns the number of the predecessor of attempt `number`, or nullopt.
  [[nodiscard]] std::optional<std::size_t> predecessor_of(std::size_t number) const {
    const run_event& event = record_.events[number];
    std::optional<attempt_end> latest = before(of_workers_.at(event.worker), event, number);
    for (const std::size_t read : record_.header.operations[event.operation].after) {
      if (read < of_operations_.size()) {
        latest = std::max(latest, before(of_operations_[read], event, number));
      }
    }
    const auto failures = of_failures_.find({event.operation, event.first});
    if (failures != of_failures_.end()) {
      latest = std::max(latest, before(failures->second, event, number));
    }
    return event_of(latest);
  }

 private:
  using ends = std::vector<attempt_end>;

  void add(std::size_t number) {
    const run_event& event = record_.events[number];
    const attempt_end end{event.ended, number};
    last_ = std::max(last_, std::optional(end));
    of_workers_[event.worker].push_back(end);
    if (event.kind == run_event_kind::tasks_ended) of_operations_[event.operation].push_back(end);
    if (event.kind == run_event_kind::attempt_failed) {
      of_failures_[{event.operation, event.first}].push_back(end);
    }
  }

  /// Returns the last end in `list` before `event` began, of an attempt with a lower number: a path
  /// of attempts without duration is finite.
  static std::optional<attempt_end> before(const ends& list, const run_event& event,
                                           std::size_t number) {
    const auto is_later = [](session_time time, const attempt_end& end) { return time < end.time; };
    auto next = std::upper_bound(list.begin(), list.end(), event.started, is_later);
    while (next != list.begin()) {
      --next;
      if (next->event < number) return *next;
    }
    return std::nullopt;
  }

  static std::optional<std::size_t> event_of(const std::optional<attempt_end>& end) {
    return end ? std::optional(end->event) : std::nullopt;
  }

  const run_record& record_;
  std::optional<attempt_end> last_;
  std::vector<ends> of_operations_;
  std::map<std::size_t, ends> of_workers_;
  std::map<std::pair<std::size_t, index_t>, ends> of_failures_;
};

}  // namespace

std::vector<critical_span> critical_path_of(const run_record& record) {
  const attempt_index index(record);
  std::vector<critical_span> path;
  for (std::optional<std::size_t> i = index.last(); i; i = index.predecessor_of(*i)) {
    const run_event& event = record.events[*i];
    const bool is_neighbour = !path.empty() && path.back().operation == event.operation &&
                              path.back().worker == event.worker;
    if (!is_neighbour) {
      path.push_back({.operation = event.operation, .worker = event.worker, .ended = event.ended});
    }
    path.back().started = event.started;
    path.back().busy += event.ended - event.started;
    ++path.back().num_attempts;
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace tessera
