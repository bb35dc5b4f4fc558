// SPDX-License-Identifier: Apache-2.0
#include "executor/retries.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

namespace tessera {

bool may_pass(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const store_error& error) {
    return error.may_pass();
  } catch (const worker_error&) {
    return true;
  } catch (const timeout_error&) {
    return true;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

int retries::next_attempt(std::size_t operation, index_t task) const {
  const auto found = failed_attempts_.find({operation, task});
  return found == failed_attempts_.end() ? 1 : found->second + 1;
}

bool retries::try_again(std::size_t operation, index_t task, const std::exception_ptr& failure,
                        session_time now) {
  const int attempts = ++failed_attempts_[{operation, task}];
  if (attempts >= policy_.max_attempts || !may_pass(failure)) return false;
  session_time pause = policy_.first_pause;
  for (int i = 1; i < attempts; ++i) pause *= 2;
  pause -= session_time{draw_() % static_cast<std::uint64_t>(pause.count() / 2 + 1)};
  pausing_.push_back({now + pause, {operation, task, 1}});
  return true;
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
