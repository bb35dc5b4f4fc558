// SPDX-License-Identifier: Apache-2.0
#include "scheduler/retries.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera {

int retries::next_attempt(std::size_t operation, index_t task) const {
  const auto failed = failed_attempts_.find({operation, task});
  return failed == failed_attempts_.end() ? 1 : failed->second + 1;
}

bool retries::count_failure(std::size_t operation, index_t task,
                            const std::exception_ptr& failure) {
  const int attempts = ++failed_attempts_[{operation, task}];
  return attempts < policy_.max_attempts && may_pass(failure);
}

void retries::pause(const task_batch& task, session_time now) {
  session_time pause = policy_.first_pause;
  for (int i = 2; i < next_attempt(task.operation, task.first); ++i) pause *= 2;
  pause -= session_time{draw_() % static_cast<std::uint64_t>(pause.count() / 2 + 1)};
  pausing_.push_back({now + pause, task});
}

std::optional<task_batch> retries::take_due(session_time now) {
  const auto due = std::find_if(pausing_.begin(), pausing_.end(),
                                [now](const pausing& item) { return item.due <= now; });
  if (due == pausing_.end()) return std::nullopt;
  const task_batch task = due->task;
  pausing_.erase(due);
  return task;
}

std::optional<session_time> retries::next_due() const {
  std::optional<session_time> next;
  for (const pausing& item : pausing_) next = std::min(next.value_or(item.due), item.due);
  return next;
}

}  // namespace tessera
